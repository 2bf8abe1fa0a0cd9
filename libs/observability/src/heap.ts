import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const HEAP_GROWTH_PERCENT = 30;

/**
 * Collects the garbage of the start and makes V8 collect again whenever the heap has grown by 30 percent; `main` calls it once
 * the service listens. On machines with much memory V8 otherwise keeps a hundred megabytes of garbage. This costs about one
 * percent more collection work and, unlike a heap limit, cannot fail a large request.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
}

/**
 * Makes V8 free the work space of its compiler Maglev for a function as soon as that function is compiled; `main` calls it once it has read the settings:
 * the build keeps the compiled functions of a program that ended before that, and V8 takes them only with the same flags. With one V8 worker
 * thread V8 otherwise frees it only after all compilations that wait, so that it takes 50 MB in the first second of a load.
 */
export function limitCompilerMemory(): void {
  setFlagsFromString('--no-maglev-destroy-on-background');
}
