/** What stays in memory for as long as the body of an answer can be read. */
const heldWithBody = new WeakMap<ReadableStream, readonly unknown[]>();

/**
 * Awaits an answer of `fetch`, and keeps objects in memory for as long as its body can be read. `objects` = the requests and signals by which the
 * call may be aborted: a Request refers only weakly to a Request that was made from it, so a garbage collection would otherwise lose the abort,
 * and with it a time limit.
 */
export async function holdUntilRead(answer: Promise<Response>, objects: readonly unknown[]): Promise<Response> {
  const response = await answer;
  if (response.body) heldWithBody.set(response.body, objects);
  return response;
}
