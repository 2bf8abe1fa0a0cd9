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
 * Decides whether the spans of a request or firing are recorded. The decision is made once, where the request enters the installation or the
 * schedule fires; all later spans follow it, as with the samplers `parentbased_…`. The sampling flag of a caller is ignored, also when the
 * caller's trace is continued: callers could fill the collector.
 */
export function samplesTrace(sampler: Sampler, ratio: number): boolean {
  if (sampler.endsWith('always_on')) return true;
  if (sampler.endsWith('always_off')) return false;
  return Math.random() < ratio;
}
