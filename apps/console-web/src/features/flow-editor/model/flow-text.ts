import { jsonObstacle } from '@batuta/matrix';

/** Formatted JSON, as the text view shows a flow and JSON fields their value. Equal texts also tell that two flows are equal. */
export function flowTextOf(flow: unknown): string {
  return JSON.stringify(flow, null, 2);
}

/** The JSON of a typed text; undefined when the text is not JSON, or has a number that no double holds, for which a save would send null. */
export function parseFlowText(text: string): { json: unknown } | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return jsonObstacle(json) === 'number' ? undefined : { json };
  } catch {
    return undefined;
  }
}
