import {
  MAX_LOG_MESSAGE_CHARACTERS,
  MAX_REPORT_BYTES,
  MAX_REPORT_LINES,
  MAX_RESPONSE_BYTES,
  type ReportLine,
} from '@batuta/agent-protocol';
import { ReportUploadQueue } from './report-upload-queue';

const FINALIZED_END = { outcome: 'FINALIZED' as const, errorStep: null, errorMessage: null };
const line = (message: string): ReportLine => ({
  timestamp: '2026-01-05T12:00:00.000Z',
  severity: 'INFO',
  message,
  stepID: 's',
});
let queue: ReportUploadQueue;
beforeEach(() => {
  queue = new ReportUploadQueue({ instanceID: 'i-1', fence: 3 });
});
const messages = () => queue.current()?.lines.map(({ message }) => message);

test('without a line or an end there is no report', () => {
  expect(queue.current()).toBeUndefined();
});

test('lines that are added while a report is in flight are batched in the next', async () => {
  await queue.add(line('a'));
  expect(messages()).toEqual(['a']);
  await queue.add(line('b'));
  await queue.add(line('c'));
  expect(messages()).toEqual(['a']);
  expect(queue.acknowledge(1)).toBe(true);
  expect(queue.current()).toMatchObject({ instanceID: 'i-1', fence: 3, seq: 2 });
  expect(messages()).toEqual(['b', 'c']);
});

test('only the report in flight can be acknowledged', async () => {
  await queue.add(line('a'));
  queue.current();
  expect([queue.acknowledge(0), queue.acknowledge(2), queue.acknowledge(1), queue.acknowledge(1)]).toEqual([
    false,
    false,
    true,
    false,
  ]);
});

test('the end is in the report with the last lines, and its acknowledgement closes the queue', async () => {
  for (let n = 0; n < MAX_REPORT_LINES + 1; n += 1) await queue.add(line(`${n}`));
  queue.finish(FINALIZED_END);
  expect(queue.current()?.lines).toHaveLength(MAX_REPORT_LINES);
  expect(queue.current()?.end).toBeUndefined();
  queue.acknowledge(1);
  expect(queue.current()).toMatchObject({ seq: 2, end: FINALIZED_END });
  expect(queue.isClosed).toBe(false);
  queue.acknowledge(2);
  expect(queue.isClosed).toBe(true);
  expect(queue.current()).toBeUndefined();
});

describe('answers', () => {
  const response = { code: 201, body: '{}' };

  test('an answer without lines is reported once', () => {
    queue.answer(response);
    expect(queue.current()).toMatchObject({ seq: 1, lines: [], response });
    queue.acknowledge(1);
    expect(queue.current()).toBeUndefined();
  });

  test('an answer waits for the report in flight, and not for queued lines', async () => {
    await queue.add(line('first'));
    expect(queue.current()?.response).toBeUndefined();
    for (let n = 0; n < MAX_REPORT_LINES + 1; n += 1) await queue.add(line(`${n}`));
    queue.answer(response);
    expect(queue.current()?.response).toBeUndefined();
    queue.acknowledge(1);
    expect(queue.current()).toMatchObject({ seq: 2, response });
    expect(queue.current()?.lines).toHaveLength(MAX_REPORT_LINES);
  });

  test('an answer is in one report with the end of a flow that ends at once', () => {
    queue.answer(response);
    queue.finish(FINALIZED_END);
    expect(queue.current()).toMatchObject({ seq: 1, response, end: FINALIZED_END });
  });

  test('an answer stays in its report until that is acknowledged', () => {
    queue.answer(response);
    const report = queue.current();
    queue.finish(FINALIZED_END);
    expect(queue.current()).toBe(report);
  });

  test('an answer of the maximum size fits into one report with lines of the maximum length', async () => {
    const escaped = '\u0001';
    for (let n = 0; n < 20; n += 1) await queue.add(line(escaped.repeat(MAX_LOG_MESSAGE_CHARACTERS)));
    queue.answer({ code: 200, body: escaped.repeat(MAX_RESPONSE_BYTES) });
    const report = queue.current();
    expect(report).toHaveProperty('response');
    expect(Buffer.byteLength(JSON.stringify(report))).toBeLessThan(MAX_REPORT_BYTES);
  });
});

test('an end without lines is reported', () => {
  queue.finish(FINALIZED_END);
  expect(queue.current()).toMatchObject({ seq: 1, lines: [], end: FINALIZED_END });
});

test('a report has at most 256 KB of lines, for slow connections, and at least one line', async () => {
  const long = 'ç'.repeat(15_000);
  for (let n = 0; n < 60; n += 1) await queue.add(line(long));
  const bytes = Buffer.byteLength(JSON.stringify(queue.current()));
  expect(bytes).toBeGreaterThan(200_000);
  expect(bytes).toBeLessThan(270_000);
});

test('a full queue makes the flow wait until a report takes lines', async () => {
  for (let n = 0; n < 1_000; n += 1) await queue.add(line(`${n}`));
  let isAdded = false;
  const next = queue.add(line('one more')).then(() => {
    isAdded = true;
    return isAdded;
  });
  await Promise.resolve();
  expect(isAdded).toBe(false);
  queue.current();
  await next;
  expect(isAdded).toBe(true);
});

test('a closed queue ends all waits and ignores new lines', async () => {
  for (let n = 0; n < 1_000; n += 1) await queue.add(line(`${n}`));
  const next = queue.add(line('one more'));
  queue.close();
  await next;
  await queue.add(line('too late'));
  expect(queue.current()).toBeUndefined();
});
