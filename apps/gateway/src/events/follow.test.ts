import type { InstanceBody, InstanceNews } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { readEventID, writeEventID } from './event-id';
import { follow, type StreamEvent } from './follow';

const identity = { instanceID: 'i', processID: 'p', processName: 'P' };
const inProgress = (status: 'queued' | 'running'): InstanceBody => ({
  ...identity,
  status,
  userName: 'u',
  startedAt: 1,
});
const ended: InstanceBody = {
  ...identity,
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
const said = (line: number): InstanceNews['lines'][number] => ({
  line,
  timestamp: '2026-01-01T00:00:00.000Z',
  severity: 'INFO',
  message: `m${line}`,
  stepID: 's',
  userName: 'u',
  version: '1',
  evidence: null,
});

/** Follows through what each look finds; tells the events and behind which lines was asked. */
async function followed(looks: (InstanceNews | Error)[], after = 0) {
  const asked: number[] = [];
  const events: string[] = [];
  const controller = new AbortController();
  const news = async (line: number) => {
    asked.push(line);
    const look = looks.shift();
    if (!look) throw new Error('looked too often');
    if (look instanceof Error) throw look;
    return look;
  };
  const told = (event: StreamEvent) => (event ? `${event.event} ${event.id}` : 'waiting');
  for await (const event of follow(after, { news, change: async () => {}, signal: controller.signal })) {
    events.push(told(event));
  }
  return { asked, events };
}

test('lines come in order, a status only when it changed, the end last', async () => {
  const { asked, events } = await followed([
    { body: inProgress('queued'), lines: [] },
    { body: inProgress('queued'), lines: [] },
    { body: inProgress('running'), lines: [said(1), said(2)] },
    { body: inProgress('running'), lines: [] },
    { body: ended, lines: [said(3)] },
    { body: ended, lines: [] },
  ]);
  expect(events).toEqual(['status 0', 'log 1', 'log 2', 'status 2', 'log 3', 'status 3.end']);
  expect(asked).toEqual([0, 0, 0, 2, 2, 3]);
});

test('a resumed stream begins behind the line that the client has', async () => {
  const { asked, events } = await followed(
    [
      { body: ended, lines: [said(8)] },
      { body: ended, lines: [] },
    ],
    7,
  );
  expect([asked, events]).toEqual([
    [7, 8],
    ['log 8', 'status 8.end'],
  ]);
});

test('a service that is away makes it wait, any other fault ends it', async () => {
  const away = new ApiError('UNAVAILABLE');
  expect((await followed([away, { body: ended, lines: [] }])).events).toEqual(['waiting', 'status 0.end']);
  await expect(followed([new ApiError('INSTANCE_NOT_FOUND')])).rejects.toMatchObject({ code: 'INSTANCE_NOT_FOUND' });
});

test.each([
  [undefined, { line: 0, end: false }],
  ['12', { line: 12, end: false }],
  ['12.end', { line: 12, end: true }],
  ['x', { line: 0, end: false }],
  ['-1', { line: 0, end: false }],
  ['1e3', { line: 0, end: false }],
])('Last-Event-ID %j is %j', (header, id) => expect(readEventID(header)).toEqual(id));

test('an event id is read as it was written', () => {
  for (const id of [
    { line: 0, end: false },
    { line: 7, end: true },
  ]) {
    expect(readEventID(writeEventID(id))).toEqual(id);
  }
});
