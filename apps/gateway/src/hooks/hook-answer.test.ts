import type { AwaitedState } from '@batuta/contracts';
import { acceptedAnswer, awaitedAnswer, lateAnswer } from './hook-answer';

const instanceID = 'i';
const state = (given: Partial<AwaitedState>): AwaitedState => ({
  instanceID,
  status: 'running',
  outcome: null,
  ...given,
});
const json = '{ "b":1,"a": [1.0] }';
const word = (status: string) => `{"instanceID":"i","status":"${status}"}`;

describe('contract 4.17, what there is to tell before the wait is over and at its end', () => {
  test.each<[string, Partial<AwaitedState>, number, string]>([
    ...[200, 201, 202, 400, 401, 403, 404, 409, 422, 500].map(
      (code): [string, Partial<AwaitedState>, number, string] => [
        `a response step with ${code}`,
        { answer: { valid: true, code, body: json } },
        code,
        json,
      ],
    ),
    [
      'a response step, and an error later on',
      { status: 'error', outcome: 'ERROR', answer: { valid: true, code: 201, body: json } },
      201,
      json,
    ],
    ['finished without an answer', { status: 'success', outcome: 'FINALIZED' }, 202, word('FINALIZED')],
    ['a terminate route', { status: 'terminated', outcome: 'TERMINATED' }, 500, word('TERMINATED')],
    ['the step limit', { status: 'error', outcome: 'STEP_LIMIT_REACHED' }, 500, word('STEP_LIMIT_REACHED')],
    ['failed', { status: 'error', outcome: 'ERROR' }, 500, word('ERROR')],
    ['stopped', { status: 'stopped', outcome: 'STOPPED' }, 500, word('STOPPED')],
    ['crashed', { status: 'error', outcome: 'CRASHED' }, 500, word('CRASHED')],
    ['an answer that is none', { answer: { valid: false } }, 502, word('INVALID_RESPONSE')],
    [
      'an answer that is none, and finished',
      { status: 'success', outcome: 'FINALIZED', answer: { valid: false } },
      502,
      word('INVALID_RESPONSE'),
    ],
  ])('%s', (_, given, status, body) => {
    expect(awaitedAnswer(state(given))).toEqual({ status, body, instanceID });
    expect(lateAnswer(state(given))).toEqual({ status, body, instanceID });
  });

  test.each([
    ['running', 'running'],
    ['queued', 'queued'],
    ['unknown', 'queued'],
  ] as const)('of a process that is %s nothing, and then 202 %s', (status, told) => {
    expect(awaitedAnswer(state({ status }))).toBeUndefined();
    expect(lateAnswer(state({ status }))).toEqual({ status: 202, body: word(told), instanceID });
  });

  test('of an agent too old to answer nothing, however it has ended, and then the end', () => {
    const failed = state({ status: 'error', outcome: 'ERROR', mute: true });
    expect(awaitedAnswer(failed)).toBeUndefined();
    expect(lateAnswer(failed)).toEqual({ status: 500, body: word('ERROR'), instanceID });
    expect(lateAnswer(state({ mute: true }))).toEqual({ status: 202, body: word('running'), instanceID });
  });
});

test.each([
  ['started', 200],
  ['queued', 202],
] as const)('a start that is %s answers %i, and its replay without a status', (status, code) => {
  const [accepted, replayed] = [
    { instanceID, status },
    { instanceID, status, replayed: true as const },
  ];
  expect(acceptedAnswer(accepted)).toEqual({ status: code, body: word(status), instanceID });
  const body = '{"instanceID":"i","replayed":true}';
  expect(acceptedAnswer(replayed)).toEqual({ status: code, body, instanceID });
  expect(acceptedAnswer({ ...replayed, mismatch: true })).toMatchObject({ body, mismatch: true });
});
