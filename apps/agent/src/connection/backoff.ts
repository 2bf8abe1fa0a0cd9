export interface BackoffSettings {
  firstMilliseconds: number;
  mostMilliseconds: number;
  /** Between attempts once a router that knew this agent refuses it. */
  refusedMilliseconds: number;
}

export const BACKOFF_DEFAULTS: BackoffSettings = {
  firstMilliseconds: 500,
  mostMilliseconds: 30_000,
  refusedMilliseconds: 60_000,
};

/** Doubling, with half of it left to chance, so that agents do not all come back in the same moment. */
export function backoffMilliseconds(failures: number, settings: BackoffSettings, random: number): number {
  const doubled = settings.firstMilliseconds * 2 ** Math.min(failures, 20);
  return Math.min(settings.mostMilliseconds, doubled) * (0.5 + random / 2);
}
