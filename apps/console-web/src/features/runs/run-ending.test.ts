import { i18n } from '../../i18n/instance';
import texts from './locales/en.json';
import { endingOf, failureLogLine, type EndingFields } from './run-ending';
import { supportText } from './support-text';

beforeEach(() => i18n.init({ lng: 'en', resources: { en: { runs: texts } }, interpolation: { escapeValue: false } }));

const FAILED: EndingFields = {
  status: 'error',
  outcome: 'ERROR',
  startedAt: '2026-11-27T12:00:00.000Z',
  errorStep: 'Pay',
  errorMessage: 'Step "Pay": POST https://bank.example/ answered 503',
};
const CRASHED: EndingFields = {
  ...FAILED,
  outcome: 'CRASHED',
  errorStep: null,
  errorMessage: 'a word of another release',
};
const STOPPED: EndingFields = { ...FAILED, status: 'stopped', outcome: 'STOPPED', errorStep: null, errorMessage: null };

test.each(['queued', 'unknown', 'running', 'success', 'terminated'] as const)(
  'a run with the status %s shows no ending',
  (status) => {
    expect(endingOf({ ...FAILED, status }, 'Pay')).toBeUndefined();
  },
);

test('the ending of a failed run names the step in its title, explains the failure, and gives the reason without the step', () => {
  expect(endingOf(FAILED, undefined)).toEqual({
    title: 'The run failed at step Pay',
    meaning: texts.meanings.unreachable,
    reason: 'POST https://bank.example/ answered 503',
    step: 'Pay',
  });
});

test('a run whose agent was lost failed at the last step of its log', () => {
  expect(endingOf(CRASHED, 'Pay')).toMatchObject({
    title: 'The run failed at step Pay',
    meaning: texts.meanings.lost,
    step: 'Pay',
  });
  expect(endingOf(CRASHED, undefined)?.title).toBe(texts.failed);
});

test('the ending of a stopped run says whether a step had begun', () => {
  expect(endingOf(STOPPED, 'Pay')).toEqual({
    title: 'The run was stopped at step Pay',
    meaning: texts.meanings.stopped,
    step: 'Pay',
  });
  expect(endingOf({ ...STOPPED, startedAt: null }, undefined)).toEqual({
    title: texts.stoppedInQueue,
    meaning: texts.meanings.nothingDone,
    step: undefined,
  });
});

test('the ending of a run that Batuta stopped says why', () => {
  const errorMessage = 'The process was deleted.';
  expect(endingOf({ ...STOPPED, startedAt: null, errorMessage }, undefined)).toMatchObject({ reason: errorMessage });
});

test('the line of a failure is the last error of its step, or else the last error that belongs to no step', () => {
  const line = (number: number, severity: 'INFO' | 'ERROR', stepID: string) => {
    return { number, severity, stepID, timestamp: '', message: '', userName: '', version: '1', evidence: null };
  };
  const lines = [line(1, 'ERROR', 'Pay'), line(2, 'INFO', 'Pay'), line(3, 'ERROR', '')];
  expect(failureLogLine(lines, 'Pay')?.number).toBe(1);
  expect(failureLogLine(lines, 'Other')?.number).toBe(3);
  expect(failureLogLine(lines.slice(0, 2), 'Other')).toBeUndefined();
});

test('the text for support names the run, its address, environment, agent and version, and has no line for an unknown one', () => {
  const run = { processName: 'Invoices', instanceID: 'i-1', version: 3, finishedAt: '2026-11-27T12:00:05.000Z' };
  const ending = { title: 'The run failed', meaning: 'something' };
  const address = 'https://console.example/runs/i-1';
  expect(supportText({ run, ending, environment: 'Finance', agent: 'robot-07', address }).split('\n')).toEqual([
    'Run of Invoices',
    address,
    'The run failed',
    'Ended: 2026-11-27T12:00:05.000Z',
    'Environment: Finance',
    'Agent: robot-07',
    'Version: 3',
    'Run: i-1',
  ]);
  expect(supportText({ run, ending, environment: undefined, agent: undefined, address })).not.toMatch(
    /Agent|Environment/,
  );
});
