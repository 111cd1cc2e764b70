/** Which server is started, and when it is started again. */

import { expect, test } from "vitest";
import { Backoff } from "../../src/server/backoff";
import { choose, trustworthy } from "../../src/server/choice";
import { hostOf } from "../../src/server/hosts";

test("the user's setting comes before the managed environment, and that before the PATH", () => {
  const all = { setting: ["/opt/agls", "--verbose"], managed: "/env/agls", onPath: "/usr/bin/agls" };
  expect(choose(all)).toEqual({
    command: "/opt/agls",
    args: ["--verbose", "serve", "--stdio"],
    from: "setting",
  });
  expect(choose({ ...all, setting: [] })?.command).toBe("/env/agls");
  expect(choose({ ...all, setting: [], managed: "" })).toMatchObject({
    command: "/usr/bin/agls",
    from: "path",
  });
  expect(choose({ setting: [], managed: "", onPath: "" })).toBeUndefined();
});

test("a folder cannot bring a program by way of the PATH", () => {
  const path = ["/project/bin", "bin", ".", "/project", "/usr/bin", "", "/projector/bin"].join(":");
  const absolute = (folder: string) => folder.startsWith("/");
  expect(trustworthy(path, ["/project"], ":", absolute)).toEqual(["/usr/bin", "/projector/bin"]);
  const windows = trustworthy("C:\\work\\bin;C:\\Python", ["C:\\work"], ";", () => true);
  expect(windows).toEqual(["C:\\Python"]);
});

test("a key is kept by the host's name, whatever the user writes", () => {
  for (const given of ["api.example.com", "https://API.example.com:8443/v1", " api.example.com/v1 "])
    expect(hostOf(given)).toBe("api.example.com");
  expect(hostOf("[::1]:8080")).toBe("::1");
  for (const given of ["", "no host", "https://", "https://name:word@api.example.com"])
    expect(hostOf(given)).toBe("");
});

test("a server that ends is started later and later, and in the end not any more", () => {
  const backoff = new Backoff();
  const pauses = [0, 1, 2, 3, 4, 5, 6].map((second) => backoff.ended(second * 1000));
  expect(pauses).toEqual([500, 1000, 2000, 4000, 8000, 16_000, undefined]);
  backoff.forget();
  expect(backoff.ended(8000)).toBe(500);
});

test("a server that ends now and then is always started soon", () => {
  const backoff = new Backoff();
  for (let minute = 0; minute < 100; minute += 4) expect(backoff.ended(minute * 60_000)).toBe(500);
});
