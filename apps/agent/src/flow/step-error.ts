/** A step that failed: the message is what the process owner reads, `status` becomes `{lastErrorStatus}`. */
export class StepError extends Error {
  override readonly name = 'StepError';

  constructor(
    message: string,
    readonly status: number | null = null,
    /** The message was cut off somewhere, perhaps within a sensitive value. */
    readonly cut = false,
  ) {
    super(message);
  }
}

/** The execution was stopped or dropped while something ran: not a failure of the step. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';
}
