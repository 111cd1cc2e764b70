/** Files that are dropped or pasted into the prompt. */

import { textOf } from "../store/patch";
import { host, type Model } from "./model";

/** Attaches what was dropped: files of the editor by their place, images from outside by what is in them. */
export function onDrop(event: DragEvent, model: Model): void {
  event.preventDefault();
  const list = event.dataTransfer?.getData("text/uri-list") ?? "";
  const uris = list.split(/\r?\n/).filter((line) => line && !line.startsWith("#"));
  if (uris.length > 0) host.postMessage({ type: "dropped", uris });
  else attachImages(event.dataTransfer?.files, model);
}

/** Of a file from outside of the editor the page has what is in it, and not where it is. */
export function attachImages(files: FileList | undefined, model: Model): void {
  const [other] = [...(files ?? [])].filter(({ type }) => !type.startsWith("image/"));
  if (other)
    model.take({
      type: "failed",
      text: `${other.name} is no image. Add it with the paper clip, drag it from the Explorer with Shift held down, or write @ and its name.`,
      kind: "",
    });
  for (const file of files ?? []) if (file.type.startsWith("image/")) attachImage(file);
}

function attachImage(file: File): void {
  const reader = new FileReader();
  reader.onload = () => {
    const data = textOf(reader.result).replace(/^[^,]*,/, "");
    host.postMessage({ type: "image", name: file.name || "image", data, mimeType: file.type });
  };
  reader.readAsDataURL(file);
}
