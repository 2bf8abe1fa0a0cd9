/**
 * Polls until `look` returns something other than undefined or false; an error counts as false. After the time limit it throws an error with
 * `what` and the last error.
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
