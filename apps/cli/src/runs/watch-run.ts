import { BatutaError, BatutaUnreachable, retry } from '@batuta/client';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../context';
import { CommandFailure, CredentialRefusal, LostContact } from '../exit-codes';
import type { Colour } from '../terminal/output';
import { safeJson, safeLine, safeText } from '../terminal/safe-text';
import { hasEnded, type EndedRun, type RunBody, type LogLine, type RunClient } from './run-client';

const SEVERITY_COLOURS: Partial<Record<string, Colour>> = { ERROR: 'red', WARNING: 'yellow' };
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;
/** The longest time of a timer of Node. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** Longest outage of the API, such as an update of the gateway, after which a run is still awaited. Streams of events have the same. */
const MAX_OUTAGE_MS = 300_000;
/**
 * Time limit of the last call that asks for the state of a run: when the time of the command has passed, or the stream of events has ended
 * before the run.
 */
const LAST_STATUS_MS = 5_000;

/** Shows lines and states as they arrive, up to the end of the run. Throws unless the run succeeds, within `seconds` if they are given. */
export async function showRunEvents(
  context: Context,
  runs: RunClient,
  instanceID: string,
  seconds?: number,
): Promise<void> {
  const { output, terminal } = context;
  const deadline = abortAfter(seconds === undefined ? undefined : seconds * 1_000);
  const signal = AbortSignal.any([terminal.signal, deadline.signal]);
  let last: RunBody | undefined;
  try {
    for await (const { event, data } of runs.events(instanceID, signal)) {
      if (event === 'log') output.showNext({ event, data }, lineText(context, data));
      else {
        showState(context, data, last);
        last = data;
      }
    }
  } catch (error) {
    if (terminal.signal.aborted) throw error;
    if (!deadline.signal.aborted) throw withRun(context, error, instanceID, last?.status);
  } finally {
    deadline.clear();
  }
  if (last && hasEnded(last)) return requireSuccess(last);
  // The time has passed, perhaps during an outage, or the stream ended without the end of the run, for instance by the answer of a proxy.
  const run = await lastStatus(context, runs, instanceID, last?.status);
  if (!hasEnded(run)) throw stillRunning(instanceID, run.status);
  showState(context, run, last);
  requireSuccess(run);
}

async function lastStatus(
  context: Context,
  runs: RunClient,
  instanceID: string,
  known: string | undefined,
): Promise<RunBody> {
  const limit = abortAfter(LAST_STATUS_MS);
  try {
    return await runs.status(instanceID, limit.signal);
  } catch (error) {
    throw withRun(context, error, instanceID, known);
  } finally {
    limit.clear();
  }
}

/** A signal that aborts after this time, or never; `clear` ends its timer. */
function abortAfter(milliseconds: number | undefined): { signal: AbortSignal; clear(): void } {
  const controller = new AbortController();
  const abort = () => controller.abort(new Error('no answer in time'));
  const timer = milliseconds === undefined ? undefined : setTimeout(abort, Math.min(milliseconds, MAX_TIMER_MS));
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
}

function showState({ output }: Context, run: RunBody, previous: RunBody | undefined): void {
  if (output.json) output.showNext({ event: 'status', data: run }, '');
  else if (run.status !== previous?.status) output.note(`— ${stateText(run)}`);
}

/** Polls until the run has ended, also during outages of the API, and shows its end. Throws unless the run succeeds within `seconds`. */
export async function awaitRun(context: Context, runs: RunClient, instanceID: string, seconds: number): Promise<void> {
  // The last call begins when the time has passed.
  const limit = abortAfter(seconds * 1_000 + LAST_STATUS_MS);
  try {
    const run = await pollUntilEnd(context, {
      instanceID,
      seconds,
      status: () => runs.status(instanceID, limit.signal),
    });
    context.output.fields(run);
    requireSuccess(run);
  } finally {
    limit.clear();
  }
}

async function pollUntilEnd(
  context: Context,
  { instanceID, seconds, status }: { instanceID: string; seconds: number; status: () => Promise<RunBody> },
): Promise<EndedRun> {
  const { output, terminal } = context;
  const deadline = Date.now() + seconds * 1_000;
  let last: string | undefined;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(1.5 * pause, MAX_PAUSE_MS)) {
    const within = Math.min(MAX_OUTAGE_MS, deadline - Date.now());
    const run = await retry(status, { within, signal: terminal.signal }).catch((error: unknown) => {
      throw withRun(context, error, instanceID, last);
    });
    if (hasEnded(run)) return run;
    last = run.status;
    const remaining = deadline - Date.now();
    if (remaining <= 0) throw stillRunning(instanceID, last);
    output.progress(`${instanceID} ${stateText(run)} …`);
    await sleep(Math.min(pause, remaining), undefined, { signal: terminal.signal });
  }
}

export function lineText({ output }: Context, { timestamp, severity, stepID, message }: LogLine): string {
  const colour = SEVERITY_COLOURS[severity];
  const word = severity.padEnd(7);
  const [first = '', ...more] = safeText(message).split('\n');
  // Further lines of a message are indented, so that they do not look like lines of the log, which begin with a time.
  const text = [first, ...more.map((line) => `    ${line}`)].join('\n');
  return `${safeLine(timestamp)} ${colour ? output.colored(colour, word) : safeLine(word)} ${safeLine(stepID)}: ${text}`;
}

/** The failure of a command that ends before the run. */
function stillRunning(instanceID: string, status = 'in progress'): CommandFailure {
  const hint = `it continues: batuta runs show ${instanceID}`;
  return new CommandFailure('stillRunning', `The run ${instanceID} is still ${status}.`, hint, instanceID);
}

/** The failure of a command that awaits a run; names the run if the API refused or did not answer, unless it knows no such run. */
function withRun(context: Context, error: unknown, instanceID: string, status: string | undefined): unknown {
  const fault = context.failureOf(error);
  if (fault instanceof BatutaError && fault.status === 404) return error;
  const isOfAPI =
    fault instanceof BatutaError || fault instanceof BatutaUnreachable || fault instanceof CredentialRefusal;
  return isOfAPI ? new LostContact(fault, instanceID, status) : error;
}

/** Throws for a run that did not succeed, which sets the exit code (docs/cli.md). */
function requireSuccess(run: RunBody): void {
  if (run.status === 'success') return;
  const reason = 'errorMessage' in run && run.errorMessage ? `: ${run.errorMessage}` : '';
  const step = 'errorStep' in run && run.errorStep ? ` in step ${run.errorStep}` : '';
  throw new CommandFailure('runFailed', `The run ended as ${run.status}${step}${reason}`);
}

function stateText(run: RunBody): string {
  const paused = 'paused' in run && run.paused === true ? ', paused' : '';
  const queue = 'queue' in run && run.queue ? `, ${safeJson(run.queue)}` : '';
  return `${safeLine(run.status)}${paused}${queue}`;
}
