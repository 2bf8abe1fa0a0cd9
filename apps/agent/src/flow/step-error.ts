/** The failure of a step. The process owner reads the message; `status` becomes `{lastErrorStatus}`. */
export class StepError extends Error {
  override readonly name = 'StepError';

  constructor(
    message: string,
    readonly status: number | null = null,
    /** The message may end in the middle of a sensitive value. */
    readonly cut = false,
  ) {
    super(message);
  }
}

/** A stop or drop interrupted a wait, call or script; the step did not fail. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';
}
