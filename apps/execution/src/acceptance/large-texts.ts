import { jsonWeight } from '@batuta/async';
import type { StartRequest } from '@batuta/contracts';
import { RawJson, THREAD_WEIGHT, type JsonThread } from '@batuta/json';
import { LargeText, TASK_OF_TEXT, type MatrixVariable } from '@batuta/matrix';

/** No text of fewer characters has THREAD_WEIGHT. */
const LARGE_TEXT_LENGTH = THREAD_WEIGHT / 100;

/**
 * The request with a LargeText in place of each large text for a Lista or Objeto, whose JSON is thus read in a thread; the request
 * itself without one.
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
    const task = TASK_OF_TEXT[type];
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
