import type { OfferFrame, ReportEnd, ReportLine } from '@batuta/agent-protocol';
import { readShape } from '@batuta/flow';
import type { Control } from '../execution/control';
import { clearOffer } from '../instances/clear-offer';
import { deathReason, type ProcessDeath } from './death-reason';
import type { ExecutionProcess } from './execution-process';
import type { FlowSettings } from './flow-effects';
import type { ProcessLimits } from './limits/process-limits';
import type { ControlState, FromChild, ResourceUsage } from './messages';
import type { ExecutionSink } from './runner';

/** Time for a stopped execution to cancel its statements on a database server; then its process is killed. */
export const STOP_GRACE_MS = 10_000;

export interface RunInProcessOptions {
  offer: OfferFrame;
  control: Control;
  sink: ExecutionSink;
  settings: FlowSettings;
  limits: ProcessLimits;
  logInternalError: (text: string) => void;
  checkUsage: (usage: ResourceUsage) => void;
  stopGraceMs?: number;
}

/**
 * Runs an execution in the process, kills the process and returns the end of the execution. If the process dies before it reports an end, the
 * end is STOPPED after a stop, else CRASHED. Never rejects.
 */
export async function runInProcess(process: ExecutionProcess, run: RunInProcessOptions): Promise<ReportEnd> {
  const { control, sink } = run;
  let lastStep = '';
  let graceTimer: NodeJS.Timeout | undefined;
  const reported = new Promise<ReportEnd>((resolve) => {
    process.onMessage = (message) => {
      if (message.kind === 'end') resolve(message.end);
      if (message.kind === 'line') lastStep = message.line.stepID ?? '';
      passMessage(message, process, run);
    };
  });
  const killAfterGrace = () => {
    graceTimer ??= setTimeout(() => process.kill(), run.stopGraceMs ?? STOP_GRACE_MS);
  };
  if (control.stopped) killAfterGrace();
  control.watch(() => {
    process.send({ kind: 'control', control: stateOf(control) });
    if (control.stopped) killAfterGrace();
  });
  sendRun(process, run);
  clearOffer(run.offer);
  try {
    const end = await Promise.race([reported, process.gone]);
    if ('outcome' in end) return end;
    return control.stopped ? await endAsKilled(sink, lastStep) : await endAsCrashed(end, lastStep, run);
  } finally {
    clearTimeout(graceTimer);
    process.kill();
  }
}

/**
 * The flow is validated in the agent's process, because compiling the schema in each process takes longer than most
 * flows.
 */
function sendRun(process: ExecutionProcess, { offer, settings, control }: RunInProcessOptions): void {
  const shape = readShape(offer.flow);
  const flow = 'flow' in shape ? shape.flow : undefined;
  // The flow is sent once, as the validated `flow`. Only an invalid flow stays in the offer, so that the process
  // reports it.
  const rest = flow ? { ...offer, flow: null } : offer;
  process.send({ kind: 'run', offer: rest, flow, settings, control: stateOf(control) });
}

function stateOf({ desiredState, suspended, contact }: Control): ControlState {
  return { desired: desiredState, suspended, contact };
}

function passMessage(
  message: FromChild,
  process: ExecutionProcess,
  { sink, logInternalError, checkUsage }: RunInProcessOptions,
): void {
  switch (message.kind) {
    case 'line':
      void sink.log(message.line).then(() => process.send({ kind: 'taken' }));
      break;
    case 'answer':
      sink.answer(message.response);
      break;
    case 'picture':
      process.send({ kind: 'picture', id: message.id, link: sink.keepPicture(message.picture) });
      break;
    case 'fault':
      logInternalError(message.text);
      break;
    case 'step':
      sink.stepEnded?.(message.step);
      break;
    case 'usage':
      checkUsage(message.usage);
      break;
    default:
  }
}

async function endAsKilled(sink: ExecutionSink, stepID: string): Promise<ReportEnd> {
  await sink.log(lineOf('WARNING', 'The execution was stopped; its process did not end by itself', stepID));
  return { outcome: 'STOPPED', errorStep: null, errorMessage: null };
}

async function endAsCrashed(death: ProcessDeath, stepID: string, run: RunInProcessOptions): Promise<ReportEnd> {
  const reason = `the process of the execution ${deathReason(death, run.limits)}`;
  run.logInternalError(reason);
  const errorMessage = stepID === '' ? reason : `Step "${stepID}": ${reason}`;
  await run.sink.log(lineOf('ERROR', errorMessage, stepID));
  return { outcome: 'CRASHED', errorStep: stepID || null, errorMessage };
}

function lineOf(severity: ReportLine['severity'], message: string, stepID: string): ReportLine {
  return { timestamp: new Date().toISOString(), severity, message, stepID };
}
