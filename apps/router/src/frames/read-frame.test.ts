import { MAX_LOG_MESSAGE_CHARACTERS, MAX_REPORT_BYTES } from '@batuta/agent-protocol';
import { readFrame } from './read-frame';

/** The size that the tests pass as the size of each message. */
const FRAME_BYTES = 10;
const HELLO = { type: 'hello', protocol: 1, agent: 'a', runtimeVersion: '1', capacity: 2, abilities: [] };
const REPORT = { type: 'report', instanceID: 'i', fence: 1, seq: 1, lines: [] };

const EVIDENCE = {
  type: 'evidence',
  instanceID: 'i',
  fence: 1,
  mediaType: 'image/png',
  bytes: 1,
  part: 1,
  data: 'AA==',
};

const readAsFrame = (frame: unknown) =>
  readFrame(typeof frame === 'string' ? frame : JSON.stringify(frame), FRAME_BYTES);

test.each([
  ['hello', HELLO],
  ['hello of an agent that resumes', { ...HELLO, resume: { sessionID: 's', held: [{ instanceID: 'i', fence: 3 }] } }],
  ['accept', { type: 'accept', instanceID: 'i', fence: 1 }],
  ['reject', { type: 'reject', instanceID: 'i', fence: 1, reason: 'full' }],
  ['report', REPORT],
  ['report with an answer', { ...REPORT, response: { code: 201, body: '{}' } }],
  ['report with an invalid answer, which the service validates', { ...REPORT, response: { code: [], body: null } }],
  ['report with an empty answer', { ...REPORT, response: {} }],
  ['drain', { type: 'drain' }],
  ['heartbeat', { type: 'heartbeat' }],
])('a frame is read: %s', (_name, frame) => expect(readAsFrame(frame)).toEqual({ frame }));

test('unknown fields of a frame are dropped', () => {
  expect(readAsFrame({ type: 'heartbeat', mood: 'fine' })).toEqual({ frame: { type: 'heartbeat' } });
});

test('the length of a text counts code points, so that an emoji is one character', () => {
  const line = { timestamp: '2026-03-02T14:05:09Z', severity: 'INFO', stepID: 's' };
  const withMessage = (message: string) => ({ ...REPORT, lines: [{ ...line, message }] });
  const longest = withMessage('😀'.repeat(MAX_LOG_MESSAGE_CHARACTERS));
  expect(readAsFrame(longest)).toEqual({ frame: longest });
  expect(readAsFrame(withMessage('😀'.repeat(MAX_LOG_MESSAGE_CHARACTERS + 1)))).toMatchObject({
    refused: { message: expect.stringMatching(/^lines\.0\.message: /) },
  });
});

test.each<[unknown, RegExp]>([
  ['{', /^frame: is not JSON/],
  ['[]', /^frame: /],
  ['null', /^frame: /],
  [String.raw`{"type":"heartbeat","caf\\":1}`, /^frame: the name "caf\\\\" /],
  [String.raw`{"caf\u005c":1},`, /^frame: the name "caf\\\\" /],
  [{}, /^type: /],
  [{ type: 'welcome' }, /^type: /],
  [{ ...HELLO, capacity: 0 }, /^capacity: /],
  [{ ...HELLO, resume: { sessionID: 's', held: [{ instanceID: 'i' }] } }, /^resume\.held\.0\.fence: /],
  [{ ...REPORT, seq: 'one' }, /^seq: /],
  [{ ...REPORT, response: 'yes' }, /^response: /],
  ...[
    '0000-02-29T00:00:00Z',
    '0999-12-31T23:59:59Z',
    '2025-02-29T00:00:00Z',
    '2026-03-02',
    '2026-03-02T14:05:09+00:00',
  ].map((timestamp): [object, RegExp] => [
    { ...REPORT, lines: [{ timestamp, severity: 'INFO', message: 'm', stepID: 's' }] },
    /^lines\.0\.timestamp: must be a time in UTC such as 2026-03-02T14:05:09\.120Z, from the year 1000$/,
  ]),
  [
    { ...REPORT, end: { outcome: 'DONE', errorStep: null, errorMessage: null } },
    /^end\.outcome: must be one of FINALIZED, TERMINATED, STEP_LIMIT_REACHED, ERROR, STOPPED, CRASHED$/,
  ],
  [{ ...HELLO, publicKey: 'AAAA' }, /^publicKey: must be 32 bytes in base64$/],
  [{ ...EVIDENCE, evidenceID: 'ABC' }, /^evidenceID: must be a UUID in lower case$/],
])('%j is refused with close code 4400 and the name of the wrong field', (frame, message) => {
  expect(readAsFrame(frame)).toMatchObject({ refused: { closeCode: 4400, message: expect.stringMatching(message) } });
});

test.each<[string, unknown, string | undefined]>([
  ['a report', { ...REPORT, seq: 'one' }, 'i'],
  ['a report without an instance', { type: 'report', seq: 1 }, undefined],
  ['a report whose instance has a name that is too long', { ...REPORT, instanceID: 'i'.repeat(65) }, undefined],
  ['another frame', { type: 'accept', instanceID: 'i' }, undefined],
])('the refusal of %s that is invalid names its instance, if it has one', (_name, frame, instanceID) => {
  expect(readAsFrame(frame)).toMatchObject({ refused: { closeCode: 4400, instanceID } });
});

test('a hello of another protocol version is refused with close code 4409, whatever its other fields', () => {
  expect(readAsFrame({ type: 'hello', protocol: 2, who: 'a' })).toMatchObject({ refused: { closeCode: 4409 } });
});

test('a report above the maximum size is refused with close code 4400', () => {
  const text = JSON.stringify(REPORT);
  expect(readFrame(text, MAX_REPORT_BYTES)).toHaveProperty('frame');
  expect(readFrame(text, MAX_REPORT_BYTES + 1)).toMatchObject({ refused: { closeCode: 4400 } });
});
