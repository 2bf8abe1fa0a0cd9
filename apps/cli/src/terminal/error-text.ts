import { BatutaError, BatutaUnreachable } from '@batuta/client';
import { ProcessFileError } from '@batuta/process-files';
import { CommanderError } from 'commander';
import { isNativeError } from 'node:util/types';
import { CREDENTIAL_HINT } from '../context';
import { CommandFailure, CredentialRefusal, EXIT_CODES, LostContact, commandOutcomeOf } from '../exit-codes';
import { safeLine, safeText } from './safe-text';

export interface ErrorDescription {
  /** The error code of the API, or one of the program itself such as USAGE or UNREACHABLE. */
  code: string;
  message: string;
  exitCode: number;
  /** HTTP status of the answer, if the failure is that of an answer. */
  status?: number;
  /** The id by which the logs of the service have the request. */
  requestID?: string;
  /** Seconds after which the API asks for another attempt. */
  retryAfter?: number;
  /** The run that the command started or awaited, when the command ends before it knows the end of the run. */
  instanceID?: string;
  hint?: string;
}

/** Describes a failure for the user, without a stack trace. */
export function describeError(error: unknown): ErrorDescription {
  if (error instanceof CredentialRefusal)
    return { ...describeError(error.refusal), hint: `another credential: ${CREDENTIAL_HINT}` };
  if (error instanceof LostContact) {
    const { fault, instanceID, lastStatus } = error;
    const description = describeError(fault);
    if (!['unreachable', 'failure'].includes(commandOutcomeOf(fault))) {
      const hints = [description.hint, `the run: batuta runs show ${instanceID}`];
      return { ...description, instanceID, hint: hints.filter((hint) => hint !== undefined).join('; ') };
    }
    const state =
      lastStatus === undefined ? 'the state of the run is unknown' : `the run was ${lastStatus} and continues`;
    return { ...description, instanceID, hint: `${state}: batuta runs wait ${instanceID}` };
  }
  const outcome = commandOutcomeOf(error);
  const exitCode = EXIT_CODES[outcome];
  const hint = outcome === 'notLoggedIn' ? 'log in: batuta login' : undefined;
  if (error instanceof BatutaError) {
    const { code, message, status, requestID, retryAfter } = error;
    return { code, message, exitCode, status, requestID, retryAfter, hint };
  }
  if (error instanceof BatutaUnreachable) {
    return { code: 'UNREACHABLE', message: `${error.message} ${reasonOf(error.cause)}`, exitCode };
  }
  if (error instanceof CommandFailure || error instanceof ProcessFileError) {
    const code = OUTCOME_CODES[outcome] ?? 'FAILURE';
    const instanceID = error instanceof CommandFailure ? error.instanceID : undefined;
    return { code, message: error.message, exitCode, instanceID, hint: error.hint ?? hint };
  }
  return { code: OUTCOME_CODES[outcome] ?? 'FAILURE', message: messageOf(error), exitCode };
}

function messageOf(error: unknown): string {
  if (!(error instanceof CommanderError)) return error instanceof Error ? error.message : String(error);
  // Without a command commander shows the help, which is no message.
  return error.code === 'commander.help' ? 'a command is missing' : error.message.replace(/^error: /, '');
}

const OUTCOME_CODES: Partial<Record<keyof typeof EXIT_CODES, string>> = {
  usage: 'USAGE',
  notLoggedIn: 'NOT_LOGGED_IN',
  refused: 'REFUSED',
  unreachable: 'UNREACHABLE',
  runFailed: 'RUN_FAILED',
  different: 'DIFFERENT',
  stillRunning: 'STILL_RUNNING',
  interrupted: 'INTERRUPTED',
};

export function errorText({ code, message, requestID, retryAfter, hint }: ErrorDescription): string {
  const own = Object.values(OUTCOME_CODES).includes(code) || code === 'FAILURE';
  return [
    own ? safeText(message) : `${safeLine(code)}: ${safeText(message)}`,
    ...(requestID === undefined ? [] : [`  request id: ${safeLine(requestID)}`]),
    ...(retryAfter === undefined ? [] : [`  try again in ${retryAfter} s`]),
    ...(hint === undefined ? [] : [`  ${safeText(hint)}`]),
  ].join('\n');
}

/** The reason of a `fetch` error is in its `cause`. */
function reasonOf(fault: unknown): string {
  if (!isNativeError(fault)) return String(fault);
  if ('errors' in fault && Array.isArray(fault.errors) && fault.errors.length > 0) return reasonOf(fault.errors[0]);
  return fault.cause === undefined ? fault.message : reasonOf(fault.cause);
}
