/** The text view of a flow, in step with the drawing. */
export function flowTextOf(flow: unknown): string {
  return JSON.stringify(flow, null, 2);
}

/** Reads the text view; undefined when it is no JSON. */
export function parseFlowText(text: string): { json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
