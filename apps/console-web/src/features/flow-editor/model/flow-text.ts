/** Formatted JSON, as the text view shows a flow and JSON fields their value. Equal texts also tell that two flows are equal. */
export function flowTextOf(flow: unknown): string {
  return JSON.stringify(flow, null, 2);
}

/** The JSON of a typed text; undefined when the text is not JSON. */
export function parseFlowText(text: string): { json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
