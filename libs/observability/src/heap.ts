import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const GROWTH_PERCENT = 30;

/**
 * Keeps a service's memory near what it needs; called by `main` only, once the service is up. Where a machine has much
 * memory V8 lets a hundred megabytes of garbage pile up before it collects for the first time. So the garbage of the
 * start is collected here, and from then on whenever the heap has grown by a part: more work for the collector by about
 * a hundredth, and no limit that a large request could break.
 */
export function boundHeap(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
}
