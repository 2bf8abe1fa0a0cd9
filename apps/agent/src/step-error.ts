import type { KeptPicture } from './evidence/evidence-sink';

/** The failure of a step. The message is in the execution log; `status`, the HTTP or SMTP status of an answer, becomes `{lastErrorStatus}`. */
export class StepError extends Error {
  override readonly name = 'StepError';
  /** A picture of the page at the failure; becomes `{error.evidence}`. */
  evidence?: KeptPicture;

  constructor(
    message: string,
    readonly status: number | null = null,
    /** Whether the message may end in the middle of a sensitive value. */
    readonly cut = false,
  ) {
    super(message);
  }
}

/** Thrown when a stop or drop interrupted a wait, call or script; the step did not fail. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';
}
