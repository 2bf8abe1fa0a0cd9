import { jsonWeight } from '@batuta/async';
import type { StartRequest } from '@batuta/contracts';
import { RawJson, THREAD_WEIGHT, type JsonThread } from '@batuta/json';
import { LargeText, JSON_TASK_OF_TYPE, type MatrixVariable } from '@batuta/matrix';

/**
 * Length in characters below which a text certainly has less than THREAD_WEIGHT, the weight from which on a thread parses
 * it: `jsonWeight` counts fewer than 100 bytes for each character.
 */
const LARGE_TEXT_LENGTH = THREAD_WEIGHT / 100;

/**
 * Returns the request with each large text for a Lista or Objeto replaced by a LargeText, whose JSON a thread has
 * parsed; the request itself if it has no such text.
 */
export async function readLargeTexts<Request extends Pick<StartRequest, 'matrix' | 'mapped'>>(
  request: Request,
  variables: MatrixVariable[],
  thread: JsonThread,
): Promise<Request> {
  const matrix = { ...request.matrix };
  const mapped = new Map(request.mapped?.values.map((entry) => [entry.variableID, entry]));
  let found = false;
  for (const { id, name, type } of variables) {
    const task = JSON_TASK_OF_TYPE[type];
    const entry = mapped.get(id);
    if (!task) continue;
    const text = textOf(request.mapped ? entry?.value : Object.hasOwn(matrix, name) && matrix[name]);
    if (text === undefined || !isLarge(text)) continue;
    const value = new LargeText(text, await thread.run(task, text));
    if (entry) mapped.set(id, { ...entry, value });
    else matrix[name] = value;
    found = true;
  }
  if (!found) return request;
  return request.mapped
    ? { ...request, mapped: { ...request.mapped, values: [...mapped.values()] } }
    : { ...request, matrix };
}

function textOf(value: unknown): string | undefined {
  if (value instanceof RawJson) return value.string;
  return typeof value === 'string' ? value : undefined;
}

function isLarge(text: string): boolean {
  return text.length >= LARGE_TEXT_LENGTH && jsonWeight(text) >= THREAD_WEIGHT;
}
