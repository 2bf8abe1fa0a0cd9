/** The JSON that the text view shows of a flow. */
export function flowTextOf(flow: unknown): string {
  return JSON.stringify(flow, null, 2);
}

/** Parses the text of the text view; undefined when it is not JSON. */
export function parseFlowText(text: string): { json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
