import { jsonObstacle, RawJson } from '@batuta/json';
import { MESSAGE_OF_OBSTACLE, shownName } from './refusal';

/**
 * Why the parsed `matrix` of a request cannot be passed on to the service that converts its values: it is no object, or the
 * value of the named variable is nested too deeply or has a number that no double holds (interpretation 52). Undefined when it can be
 * passed on.
 */
export function sentMatrixProblem(matrix: unknown): string | undefined {
  const isObject = typeof matrix === 'object' && matrix !== null && !Array.isArray(matrix);
  if (!isObject || matrix instanceof RawJson) return 'matrix: must be an object';
  for (const [name, value] of Object.entries(matrix)) {
    // A value that stands as text (RawJson) has no obstacle: otherwise it would not have stayed text.
    const obstacle = value instanceof RawJson ? undefined : jsonObstacle(value);
    if (obstacle !== undefined) return `${shownName(name)}: ${MESSAGE_OF_OBSTACLE[obstacle]}`;
  }
  return undefined;
}
