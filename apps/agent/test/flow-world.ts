import type { ReportEnd, ReportLine, ReportResponse } from '@batuta/agent-protocol';
import type { InstanceWork } from '@batuta/contracts';
import type { Step } from '@batuta/flow';
import { Sandbox, SANDBOX_DEFAULTS, type CodeRunner, type SandboxSettings } from '../src/sandbox';
import { Control } from '../src/execution/control';
import type { Effects } from '../src/execution/effects';
import { StoppedError } from '../src/step-error';
import { hostAccess } from '../src/network/host-access';
import { agentHostRules } from '../src/network/agent-host-rules';
import { TesseractReader } from '../src/ocr/picture-reader';
import { runFlow } from '../src/flow/run-flow';

/** A test world that runs flows without a router and keeps the reports of the flows. */
export interface FlowWorld {
  lines: ReportLine[];
  /** Answers to the waiting caller, each with the number of log lines before it. */
  answers: (ReportResponse & { linesBefore: number })[];
  /** All log lines as one text, a line each, with the severity in front. */
  messages(): string;
  control: Control;
  /** Milliseconds of each sleep. */
  slept: number[];
  run(steps: Step[], work?: Partial<InstanceWork> & { stepLimit?: number }): Promise<ReportEnd>;
}

/**
 * Makes a sandbox for the tests of a file. Its time limits are so long that a slow machine does not exceed them;
 * `settings` override them. Its threads live only while these tests run, because a group loads all of its test files at
 * once, and each thread takes memory and pipes its output to that of the process.
 */
export function useSandbox(settings: Partial<SandboxSettings> = {}): CodeRunner {
  let sandbox: Sandbox | undefined;
  beforeAll(() => {
    sandbox = new Sandbox({
      ...SANDBOX_DEFAULTS,
      workers: 2,
      expressionMilliseconds: 60_000,
      scriptMilliseconds: 120_000,
      ...settings,
    });
  });
  afterAll(() => sandbox?.close());
  const started = () => {
    if (!sandbox) throw new Error('the sandbox starts in beforeAll');
    return sandbox;
  };
  return {
    evaluateExpression: (code, signal) => started().evaluateExpression(code, signal),
    runFunctionBody: (code, signal) => started().runFunctionBody(code, signal),
  };
}

/** A step that only sets variables. */
export const variablesStep = (name: string, rest: Partial<Extract<Step, { type: 'variables' }>> = {}): Step => ({
  name,
  type: 'variables',
  ...rest,
});

/** The end of a flow with this outcome and without an error. */
export const endWithOutcome = (outcome: string) => ({ outcome, errorStep: null, errorMessage: null });

/** For tests: effects of a flow with a clock that only `sleep` moves. A sleep of 60 s or more lasts until a stop. */
export function createFlowWorld(code: CodeRunner, changes: Partial<Effects> = {}): FlowWorld {
  const lines: ReportLine[] = [];
  const answers: FlowWorld['answers'] = [];
  const slept: number[] = [];
  const control = new Control();
  let time = Date.UTC(2026, 0, 5, 12);
  const effects: Effects = {
    code,
    control,
    fetch,
    hostAccess: hostAccess(agentHostRules()),
    evidence: { keep: () => Promise.resolve(undefined) },
    browser: { program: 'off', sandbox: true },
    pictures: new TesseractReader(),
    log: (line) => {
      lines.push(line);
      return Promise.resolve();
    },
    answer: (response) => {
      answers.push({ ...response, linesBefore: lines.length });
    },
    logInternalError: (text) => {
      throw new Error(text);
    },
    now: () => time,
    monotonicNow: () => time,
    random: () => 0.5,
    sleep: (milliseconds, signal) => {
      slept.push(milliseconds);
      time += milliseconds;
      if (milliseconds < 60_000) return Promise.resolve();
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new StoppedError()), { once: true });
      });
    },
    stepLimit: 100,
    ...changes,
  };
  return {
    lines,
    answers,
    slept,
    control,
    messages: () => lines.map((line) => `${line.severity} ${line.message}`).join('\n'),
    run: (steps, { stepLimit, ...work } = {}) =>
      runFlow(
        {
          instanceID: 'i-1',
          processID: 'p-1',
          processName: 'Orders',
          userName: 'ERP',
          requestID: 'r-1',
          matrix: [],
          vault: {},
          flow: { start: steps[0]?.name ?? 'none', steps, ...(stepLimit !== undefined && { stepLimit }) },
          ...work,
        },
        effects,
      ),
  };
}
