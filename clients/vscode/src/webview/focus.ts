/** Places the cursor in the chat's page, and never takes the focus from where the user went meanwhile. */

const PATIENCE = 1000; // milliseconds for the editor to hand the focus to the page

/**
 * Run `place` while the page has the focus: at once, or when the editor hands it over.
 * A page that comes up late leaves the cursor where the user works by then.
 */
export function whenFocused(place: () => void): void {
  if (document.hasFocus()) {
    place();
    return;
  }
  const handed = (): void => {
    clearTimeout(timer);
    place();
  };
  const timer = setTimeout(() => window.removeEventListener("focus", handed), PATIENCE);
  window.addEventListener("focus", handed, { once: true });
}

/** Call `place` when what has the focus is taken out of the page: an answered question, a chip that was dropped. */
export function keepFocus(page: HTMLElement, place: () => void): void {
  let held: EventTarget | null = null;
  page.addEventListener("pointerdown", () => (held = null)); // who clicks beside it has left it
  page.addEventListener("focusin", ({ target }) => (held = target));
  new MutationObserver(() => {
    if (!(held instanceof Element) || held.isConnected) return;
    held = null;
    if (document.hasFocus() && document.activeElement === document.body) place();
  }).observe(page, { childList: true, subtree: true });
}
