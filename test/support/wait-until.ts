/**
 * Polls until `look` returns something other than undefined or false, and returns that; an error of `look` counts as false. After `timeoutMs` it
 * throws an error with `what`, whose cause is the error of the last look, if there was one. A look that takes longer is not interrupted.
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
    if (Date.now() > deadline) throw new Error(`not reached within ${timeoutMs} ms: ${what}`, { cause: complaint });
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
