import { MAX_REPORT_BYTES } from '@batuta/contracts';
import { readFrame } from './read-frame';

const hello = { type: 'hello', protocol: 1, agent: 'a', runtimeVersion: '1', capacity: 2, abilities: [] };
const report = { type: 'report', instanceID: 'i', fence: 1, seq: 1, lines: [] };

const read = (frame: unknown) => readFrame(typeof frame === 'string' ? frame : JSON.stringify(frame), 10);

test.each([
  ['hello', hello],
  ['hello of a resumed agent', { ...hello, resume: { sessionID: 's', held: [{ instanceID: 'i', fence: 3 }] } }],
  ['accept', { type: 'accept', instanceID: 'i', fence: 1 }],
  ['reject', { type: 'reject', instanceID: 'i', fence: 1, reason: 'full' }],
  ['report', report],
  ['report with an answer', { ...report, response: { code: 201, body: '{}' } }],
  ['report whose answer makes no sense: others judge it', { ...report, response: { code: [], body: null } }],
  ['report whose answer is empty', { ...report, response: {} }],
  ['drain', { type: 'drain' }],
  ['heartbeat', { type: 'heartbeat' }],
])('takes a %s', (_name, frame) => expect(read(frame)).toEqual({ frame }));

test('leaves out fields that it does not know', () => {
  expect(read({ type: 'heartbeat', mood: 'fine' })).toEqual({ frame: { type: 'heartbeat' } });
});

test.each([
  ['{', /^frame: is not JSON/],
  ['[]', /^frame: /],
  ['null', /^frame: /],
  [{}, /^type: /],
  [{ type: 'welcome' }, /^type: /],
  [{ ...hello, capacity: 0 }, /^capacity: /],
  [{ ...hello, resume: { sessionID: 's', held: [{ instanceID: 'i' }] } }, /^resume\.held\.0\.fence: /],
  [{ ...report, seq: 'one' }, /^seq: /],
  [{ ...report, response: 'yes' }, /^response: /],
  [{ ...report, end: { outcome: 'DONE', errorStep: null, errorMessage: null } }, /^end\.outcome: /],
])('refuses %j with 4400 and the field’s name', (frame, message) => {
  expect(read(frame)).toMatchObject({ refused: { closeCode: 4400, message: expect.stringMatching(message) } });
});

test('tells a hello of another protocol version apart, whatever else it carries', () => {
  expect(read({ type: 'hello', protocol: 2, who: 'a' })).toMatchObject({ refused: { closeCode: 4409 } });
});

test('bounds the bytes of a report', () => {
  const text = JSON.stringify(report);
  expect(readFrame(text, MAX_REPORT_BYTES)).toHaveProperty('frame');
  expect(readFrame(text, MAX_REPORT_BYTES + 1)).toMatchObject({ refused: { closeCode: 4400 } });
});
