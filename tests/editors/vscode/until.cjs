// Waiting, for tests inside the extension host.

const PATIENCE = 60_000; // milliseconds for anything that must happen

exports.until = async function until(what, holds) {
  let last;
  for (const end = Date.now() + PATIENCE; Date.now() < end; ) {
    last = await holds();
    if (last) return last;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`it does not come about: ${what}`);
};
