import type { AwaitedState } from '@batuta/contracts';
import { isSettled } from '../waiting/waiting-caller';
import { acceptedAnswer, waitedAnswer } from './hook-answer';

const instanceID = 'i';
const awaitedState = (given: Partial<AwaitedState>): AwaitedState => ({
  instanceID,
  status: 'running',
  outcome: null,
  ...given,
});
const answerText = '{ "b":1,"a": [1.0] }';
const statusBody = (status: string) => `{"instanceID":"i","status":"${status}"}`;

describe('settled instances', () => {
  test.each<[string, Partial<AwaitedState>, number, string]>([
    ...[200, 201, 202, 400, 401, 403, 404, 409, 422, 500].map(
      (code): [string, Partial<AwaitedState>, number, string] => [
        `a response step with ${code}`,
        { answer: { valid: true, code, body: answerText } },
        code,
        answerText,
      ],
    ),
    [
      'a response step, and an error later on',
      { status: 'error', outcome: 'ERROR', answer: { valid: true, code: 201, body: answerText } },
      201,
      answerText,
    ],
    ['finished without an answer', { status: 'success', outcome: 'FINALIZED' }, 202, statusBody('FINALIZED')],
    ['a terminate route', { status: 'terminated', outcome: 'TERMINATED' }, 500, statusBody('TERMINATED')],
    ['the step limit', { status: 'error', outcome: 'STEP_LIMIT_REACHED' }, 500, statusBody('STEP_LIMIT_REACHED')],
    ['an error', { status: 'error', outcome: 'ERROR' }, 500, statusBody('ERROR')],
    ['a stop', { status: 'stopped', outcome: 'STOPPED' }, 500, statusBody('STOPPED')],
    ['a crash', { status: 'error', outcome: 'CRASHED' }, 500, statusBody('CRASHED')],
    ['an invalid answer', { answer: { valid: false } }, 502, statusBody('INVALID_RESPONSE')],
    [
      'an invalid answer, and finished',
      { status: 'success', outcome: 'FINALIZED', answer: { valid: false } },
      502,
      statusBody('INVALID_RESPONSE'),
    ],
  ])('a settled instance ends the wait and gives the answer of contract 4.17: %s', (_, given, status, body) => {
    expect(isSettled(awaitedState(given))).toBe(true);
    expect(waitedAnswer(awaitedState(given))).toEqual({ status, body, instanceID });
  });
});

describe('unsettled instances', () => {
  test.each([
    ['running', 'running'],
    ['queued', 'queued'],
    ['unknown', 'queued'],
  ] as const)(
    'an instance that is not settled because it is %s gives 202 %s when the wait limit is over',
    (status, shown) => {
      expect(isSettled(awaitedState({ status }))).toBe(false);
      expect(waitedAnswer(awaitedState({ status }))).toEqual({ status: 202, body: statusBody(shown), instanceID });
    },
  );

  test('an instance that is not settled because its agent is too old to answer gives its outcome when the time limit of the wait is over', () => {
    const failed = awaitedState({ status: 'error', outcome: 'ERROR', mute: true });
    expect(isSettled(failed)).toBe(false);
    expect(waitedAnswer(failed)).toEqual({ status: 500, body: statusBody('ERROR'), instanceID });
    expect(waitedAnswer(awaitedState({ mute: true }))).toEqual({
      status: 202,
      body: statusBody('running'),
      instanceID,
    });
  });
});

test.each([
  ['started', 200],
  ['queued', 202],
] as const)('the answer to a start that is %s is %i, and its replay has no status', (status, code) => {
  const [accepted, replayed] = [
    { instanceID, status },
    { instanceID, status, replayed: true as const },
  ];
  expect(acceptedAnswer(accepted)).toEqual({ status: code, body: statusBody(status), instanceID });
  const body = '{"instanceID":"i","replayed":true}';
  expect(acceptedAnswer(replayed)).toEqual({ status: code, body, instanceID });
  expect(acceptedAnswer({ ...replayed, mismatch: true })).toMatchObject({ body, mismatch: true });
});
