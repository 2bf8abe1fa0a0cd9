import { withRequestID, type Logger } from '@batuta/logging';

export interface Repetition {
  /** Ends the repetition and waits for the round under way. */
  stop(): Promise<void>;
}

const JITTER = 0.2;

/**
 * Does `work` again and again, about `milliseconds` after the last round ended: never twice at once in this process, and
 * not in step with other replicas. A round that fails is logged; the next one comes all the same.
 */
export function repeat(name: string, milliseconds: number, work: () => Promise<void>, logger: Logger): Repetition {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let round = Promise.resolve();

  const plan = () => {
    if (stopped) return;
    timer = setTimeout(run, milliseconds * (1 + JITTER * (Math.random() - 0.5)));
    timer.unref();
  };
  const run = () => {
    round = withRequestID(undefined, work)
      .catch((error: unknown) => logger.warn({ err: error, sweep: name }, 'a round failed; the next one follows'))
      .finally(plan);
  };
  plan();

  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await round;
    },
  };
}
