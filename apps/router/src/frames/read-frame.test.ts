import { MAX_LOG_MESSAGE, MAX_REPORT_BYTES } from '@batuta/agent-protocol';
import { readFrame } from './read-frame';

/** The reader gets ten bytes as the size of every message. */
const BYTES = 10;
const hello = { type: 'hello', protocol: 1, agent: 'a', runtimeVersion: '1', capacity: 2, abilities: [] };
const report = { type: 'report', instanceID: 'i', fence: 1, seq: 1, lines: [] };

const read = (frame: unknown) => readFrame(typeof frame === 'string' ? frame : JSON.stringify(frame), BYTES);

test.each([
  ['hello', hello],
  ['hello of an agent that resumes', { ...hello, resume: { sessionID: 's', held: [{ instanceID: 'i', fence: 3 }] } }],
  ['accept', { type: 'accept', instanceID: 'i', fence: 1 }],
  ['reject', { type: 'reject', instanceID: 'i', fence: 1, reason: 'full' }],
  ['report', report],
  ['report with an answer', { ...report, response: { code: 201, body: '{}' } }],
  ['report with an invalid answer, which the service validates', { ...report, response: { code: [], body: null } }],
  ['report with an empty answer', { ...report, response: {} }],
  ['drain', { type: 'drain' }],
  ['heartbeat', { type: 'heartbeat' }],
])('a %s is read', (_name, frame) => expect(read(frame)).toEqual({ frame }));

test('unknown fields are dropped', () => {
  expect(read({ type: 'heartbeat', mood: 'fine' })).toEqual({ frame: { type: 'heartbeat' } });
});

test('the length of a text counts code points, so that an emoji is one character', () => {
  const line = { timestamp: '2026-03-02T14:05:09Z', severity: 'INFO', stepID: 's' };
  const withMessage = (message: string) => ({ ...report, lines: [{ ...line, message }] });
  const longest = withMessage('😀'.repeat(MAX_LOG_MESSAGE));
  expect(read(longest)).toEqual({ frame: longest });
  expect(read(withMessage('😀'.repeat(MAX_LOG_MESSAGE + 1)))).toMatchObject({
    refused: { message: expect.stringMatching(/^lines\.0\.message: /) },
  });
});

test.each<[unknown, RegExp]>([
  ['{', /^frame: is not JSON/],
  ['[]', /^frame: /],
  ['null', /^frame: /],
  [{}, /^type: /],
  [{ type: 'welcome' }, /^type: /],
  [{ ...hello, capacity: 0 }, /^capacity: /],
  [{ ...hello, resume: { sessionID: 's', held: [{ instanceID: 'i' }] } }, /^resume\.held\.0\.fence: /],
  [{ ...report, seq: 'one' }, /^seq: /],
  [{ ...report, response: 'yes' }, /^response: /],
  ...['0000-02-29T00:00:00Z', '0999-12-31T23:59:59Z', '2025-02-29T00:00:00Z', '2026-03-02'].map(
    (timestamp): [object, RegExp] => [
      { ...report, lines: [{ timestamp, severity: 'INFO', message: 'm', stepID: 's' }] },
      /^lines\.0\.timestamp: /,
    ],
  ),
  [{ ...report, end: { outcome: 'DONE', errorStep: null, errorMessage: null } }, /^end\.outcome: /],
])('%j is refused with close code 4400 and the name of the wrong field', (frame, message) => {
  expect(read(frame)).toMatchObject({ refused: { closeCode: 4400, message: expect.stringMatching(message) } });
});

test('a hello of another protocol version is refused with close code 4409, whatever its other fields', () => {
  expect(read({ type: 'hello', protocol: 2, who: 'a' })).toMatchObject({ refused: { closeCode: 4409 } });
});

test('a report above the maximum size is refused with close code 4400', () => {
  const text = JSON.stringify(report);
  expect(readFrame(text, MAX_REPORT_BYTES)).toHaveProperty('frame');
  expect(readFrame(text, MAX_REPORT_BYTES + 1)).toMatchObject({ refused: { closeCode: 4400 } });
});
