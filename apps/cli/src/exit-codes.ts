import { BatutaError, BatutaUnreachable, UnsendableCall } from '@batuta/client';
import { ProcessFileError } from '@batuta/process-files';
import { CommanderError } from 'commander';

/** The exit codes of the program (docs/cli.md). */
export const EXIT_CODES = {
  ok: 0,
  failure: 1,
  usage: 2,
  /** The address of the console, the token or the credential is missing, or the API refuses the secret. */
  notLoggedIn: 3,
  /** The API refuses the call, or the program refuses to carry out the command. */
  refused: 4,
  /** There was no answer, or one that a later attempt may change, such as 429 or 503. */
  unreachable: 5,
  /** The run that the command awaited did not end with success. */
  runFailed: 6,
  /** An import would change something. */
  different: 7,
  /** The command ends before the run that it awaited. */
  stillRunning: 8,
  interrupted: 130,
} as const;

export type CommandOutcome = keyof typeof EXIT_CODES;

/** A failure with a sentence for the user. `hint` says what to do; `instanceID` names the run that continues without the command. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';

  constructor(
    readonly outcome: CommandOutcome,
    message: string,
    readonly hint?: string,
    readonly instanceID?: string,
  ) {
    super(message);
  }
}

/** The public API refuses the credential itself; logging in would not help. */
export class CredentialRefusal extends Error {
  override readonly name = 'CredentialRefusal';

  constructor(readonly refusal: BatutaError) {
    super(refusal.message);
  }
}

/** The API does not answer about a run that is awaited, or refuses to. */
export class LostContact extends Error {
  override readonly name = 'LostContact';

  constructor(
    readonly fault: BatutaError | BatutaUnreachable | CredentialRefusal,
    readonly instanceID: string,
    /** The last known status of the run; undefined before the first answer. */
    readonly lastStatus: string | undefined,
  ) {
    super(fault.message);
  }
}

/** The failure of a wrong command line, with exit code 2. */
export const usageError = (message: string) => new CommandFailure('usage', message);
/** The failure of a command that cannot be carried out, with exit code 4, as if the API had refused it. */
export const refusal = (message: string, hint?: string) => new CommandFailure('refused', message, hint);

/** The codes of an answer that refuses a token or a credential. */
const CALLER_REFUSAL_CODES = ['MISSING_CREDENTIAL', 'INVALID_CREDENTIAL', 'CREDENTIAL_REVOKED', 'CREDENTIAL_EXPIRED'];

export function commandOutcomeOf(error: unknown): CommandOutcome {
  if (error instanceof CredentialRefusal) return 'notLoggedIn';
  if (error instanceof LostContact) return commandOutcomeOf(error.fault);
  if (error instanceof CommandFailure) return error.outcome;
  if (error instanceof ProcessFileError) return 'refused';
  if (error instanceof BatutaUnreachable) return 'unreachable';
  if (error instanceof BatutaError) return outcomeOfAnswer(error);
  if (error instanceof UnsendableCall) return 'usage';
  if (error instanceof CommanderError) return error.exitCode === 0 ? 'ok' : 'usage';
  return 'failure';
}

/** Whether the answer refuses the secret that identifies the caller: the token of a session, or a credential. */
export function refusesCaller({ code }: BatutaError): boolean {
  return CALLER_REFUSAL_CODES.includes(code);
}

function outcomeOfAnswer(error: BatutaError): CommandOutcome {
  const { status, code } = error;
  if (refusesCaller(error)) return 'notLoggedIn';
  if (code === 'AGENT_OFFLINE') return 'refused';
  // A redirect comes from another server than the API.
  if (status < 400) return 'unreachable';
  // These statuses are temporary, so a later attempt may succeed.
  if (status === 429 || status === 502 || status === 503 || status === 504) return 'unreachable';
  return status >= 400 && status < 500 ? 'refused' : 'failure';
}
