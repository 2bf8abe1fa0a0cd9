import { jsonObstacle } from './nesting';
import { OBSTACLES, shownName } from './refusal';

/**
 * Why the parsed `matrix` of a request cannot be passed on to the service that converts its values: it is no object, or the
 * value of the named variable is nested too deeply or has a number that no double holds (interpretation 52).
 */
export function sentMatrixProblem(matrix: unknown): string | undefined {
  if (typeof matrix !== 'object' || matrix === null || Array.isArray(matrix)) return 'matrix: must be an object';
  for (const [name, value] of Object.entries(matrix)) {
    const obstacle = jsonObstacle(value);
    if (obstacle !== undefined) return `${shownName(name)}: ${OBSTACLES[obstacle]}`;
  }
  return undefined;
}
