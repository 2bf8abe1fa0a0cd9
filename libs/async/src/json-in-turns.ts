import { JSONParser } from '@streamparser/json';
import { setImmediate } from 'node:timers/promises';

/** JSON.parse takes up to ten milliseconds for a text of this weight, garbage collection included. */
const DENSE_WEIGHT = 6 * 1_048_576;
/** One turn takes a few milliseconds. */
const CHUNK_BYTES = 16_384;
/** Texts that only JSON.parse reads as itself: keys that set a prototype, and halves of a character. Both may be escaped. */
const UNUSUAL = /__proto__|\\u(?:005f|d[89a-f])/i;

/** True for a text that JSON.parse would hold up everybody else with: `[{},{},…]` of a megabyte takes a tenth of a second. */
export function isDenseJson(weight: number): boolean {
  return weight > DENSE_WEIGHT;
}

/** JSON.parse in several turns of the event loop: it takes twice as long, and others go on meanwhile. Throws SyntaxError. */
export async function parseJsonInTurns(text: string): Promise<unknown> {
  if (UNUSUAL.test(text)) return JSON.parse(text);
  const found: unknown[] = [];
  const parser = new JSONParser({ paths: ['$'] });
  parser.onValue = ({ value }) => void found.push(value);
  // Behind a number the parser waits for another character.
  const bytes = Buffer.from(`${text}\n`);
  try {
    for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
      parser.write(bytes.subarray(start, start + CHUNK_BYTES));
      await setImmediate();
    }
  } catch (error) {
    throw new SyntaxError('The text is not valid JSON', { cause: error });
  }
  if (found.length !== 1) throw new SyntaxError('The JSON text is not complete');
  return found[0];
}
