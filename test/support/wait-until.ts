/**
 * Looks again and again until `look` gives something other than undefined or false. A look that throws counts as not yet.
 * Throws with `what` and the last complaint when the deadline passes.
 */
export async function waitUntil<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  { timeoutMs = 50_000, everyMs = 20 } = {},
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  let complaint: unknown;
  for (;;) {
    try {
      const seen = await look();
      if (seen !== undefined && seen !== false) return seen;
      complaint = undefined;
    } catch (error) {
      complaint = error;
    }
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain until ${what}`, { cause: complaint });
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
