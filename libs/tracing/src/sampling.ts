/** The values of OTEL_TRACES_SAMPLER. */
export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export type Sampler = (typeof SAMPLERS)[number];

/**
 * Decides whether a new trace is sampled. The decision is made once, where a request enters or a schedule fires; all later spans of the
 * trace follow it, as with the samplers `parentbased_…`. The sampling flag of a caller from outside is ignored: callers could
 * fill the collector.
 */
export function samplesTrace(sampler: Sampler, ratio: number, random: () => number = Math.random): boolean {
  if (sampler.endsWith('always_on')) return true;
  if (sampler.endsWith('always_off')) return false;
  return random() < ratio;
}
