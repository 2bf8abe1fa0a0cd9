import type { InstanceBody, InstanceNews } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { readEventID, writeEventID } from './event-id';
import { instanceEvents, type StreamEvent } from './instance-events';

const COMMON_INSTANCE_FIELDS = { instanceID: 'i', processID: 'p', processName: 'P' };
const inProgress = (status: 'queued' | 'running'): InstanceBody => ({
  ...COMMON_INSTANCE_FIELDS,
  status,
  userName: 'u',
  startedAt: 1,
});
const ENDED_INSTANCE: InstanceBody = {
  ...COMMON_INSTANCE_FIELDS,
  status: 'success',
  startedAt: '2026-01-01T00:00:00.000Z',
  finishedAt: '2026-01-01T00:00:01.000Z',
  durationSeconds: 1,
  errorStep: null,
  errorMessage: null,
  savingsValue: 0,
  fteHours: 0,
  version: '1',
};
const logLine = (line: number): InstanceNews['lines'][number] => ({
  line,
  timestamp: '2026-01-01T00:00:00.000Z',
  severity: 'INFO',
  message: `m${line}`,
  stepID: 's',
  userName: 'u',
  version: '1',
  evidence: null,
});

/** Reads all events; `polls` are the results of the polls, and `polledAfter` gets the number of the line after which each poll reads. */
async function readEvents(polls: (InstanceNews | Error)[], afterLine = 0) {
  const polledAfter: number[] = [];
  const events: string[] = [];
  const controller = new AbortController();
  const news = async (line: number) => {
    polledAfter.push(line);
    const result = polls.shift();
    if (!result) throw new Error('one poll too many');
    if (result instanceof Error) throw result;
    return result;
  };
  const summary = (event: StreamEvent) => ('id' in event ? `${event.event} ${event.id}` : event.event);
  for await (const event of instanceEvents(afterLine, {
    news,
    admitPage: async () => ({ release: () => {} }),
    waitForChange: async () => {},
    signal: controller.signal,
  })) {
    events.push(summary(event));
  }
  return { polledAfter, events };
}

test('the events of an instance are its log lines in order, its status when it has changed, otherwise a heartbeat, and its end last', async () => {
  const { polledAfter, events } = await readEvents([
    { body: inProgress('queued'), lines: [] },
    { body: inProgress('queued'), lines: [] },
    { body: inProgress('running'), lines: [logLine(1), logLine(2)] },
    { body: inProgress('running'), lines: [] },
    { body: ENDED_INSTANCE, lines: [logLine(3)] },
    { body: ENDED_INSTANCE, lines: [] },
  ]);
  expect(events).toEqual(['status 0', 'heartbeat', 'log 1', 'log 2', 'status 2', 'log 3', 'status 3.end']);
  expect(polledAfter).toEqual([0, 0, 0, 2, 2, 3]);
});

test('a resumed stream begins after the last line of the client', async () => {
  const { polledAfter, events } = await readEvents(
    [
      { body: ENDED_INSTANCE, lines: [logLine(8)] },
      { body: ENDED_INSTANCE, lines: [] },
    ],
    7,
  );
  expect([polledAfter, events]).toEqual([
    [7, 8],
    ['log 8', 'status 8.end'],
  ]);
});

test('a stream pauses while execution is unavailable and ends with any other error', async () => {
  const unavailable = new ApiError('UNAVAILABLE');
  expect((await readEvents([unavailable, { body: ENDED_INSTANCE, lines: [] }])).events).toEqual([
    'heartbeat',
    'status 0.end',
  ]);
  await expect(readEvents([new ApiError('INSTANCE_NOT_FOUND')])).rejects.toMatchObject({ code: 'INSTANCE_NOT_FOUND' });
});

test('a stream pauses while its company reads too many pages', async () => {
  const busy = new ApiError('RATE_LIMITED');
  expect((await readEvents([busy, { body: ENDED_INSTANCE, lines: [] }])).events).toEqual(['heartbeat', 'status 0.end']);
});

test('a stream has one page in memory: it asks for the next one when the events of the last one have been taken', async () => {
  const admitted: string[] = [];
  const controller = new AbortController();
  const events = instanceEvents(0, {
    news: async (after) => {
      admitted.push(`read after ${after}`);
      return { body: inProgress('running'), lines: [logLine(after + 1), logLine(after + 2)] };
    },
    admitPage: async () => ({ release: () => admitted.push('release') }),
    waitForChange: async () => {},
    signal: controller.signal,
  });
  for (let n = 0; n < 4; n += 1) await events.next();
  expect(admitted).toEqual(['read after 0', 'release', 'read after 2']);
  await events.return(undefined);
  expect(admitted.at(-1)).toBe('release');
});

test('a stream that has ended while it waits for a page ends without an error', async () => {
  const events = instanceEvents(0, {
    news: () => Promise.reject(new Error('not read')),
    admitPage: () => Promise.reject(new Error('aborted')),
    waitForChange: async () => {},
    signal: new AbortController().signal,
  });
  expect(await events.next()).toEqual({ done: true, value: undefined });
});

test.each([
  [undefined, { line: 0, end: false }],
  ['12', { line: 12, end: false }],
  ['12.end', { line: 12, end: true }],
  ['x', { line: 0, end: false }],
  ['-1', { line: 0, end: false }],
  ['1e3', { line: 0, end: false }],
])('readEventID reads Last-Event-ID %j as %j', (header, id) => expect(readEventID(header)).toEqual(id));

test('readEventID reads what writeEventID wrote', () => {
  for (const id of [
    { line: 0, end: false },
    { line: 7, end: true },
  ]) {
    expect(readEventID(writeEventID(id))).toEqual(id);
  }
});
