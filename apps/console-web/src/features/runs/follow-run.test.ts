import { focusManager, onlineManager } from '@tanstack/react-query';
import { followRun, type RunNews } from './follow-run';
import type { NumberedLogLine } from './run-log';

/** The streams that were opened in a test, oldest first. */
const openedStreams: FakeEventSource[] = [];

class FakeEventSource extends EventTarget {
  static readonly CLOSED = 2;
  readyState = 1;

  constructor(readonly url: string) {
    super();
    openedStreams.push(this);
  }

  close(): void {
    this.readyState = FakeEventSource.CLOSED;
  }

  send(type: string, data: unknown = {}, lastEventId = ''): void {
    this.dispatchEvent(new MessageEvent(type, { data: JSON.stringify(data), lastEventId }));
  }
}

const ENDED = { instanceID: 'i', status: 'success', finishedAt: '2026-01-01T00:00:01.000Z' };
let news: RunNews[];
let stop: () => void;

beforeEach(async () => {
  jest.useFakeTimers();
  Reflect.set(globalThis, 'EventSource', FakeEventSource);
  openedStreams.length = 0;
  news = [];
  await follow(async () => []);
});
afterEach(() => {
  stop();
  focusManager.setFocused(undefined);
  Reflect.deleteProperty(globalThis, 'EventSource');
  jest.useRealTimers();
});

async function follow(readNewestLines: () => Promise<NumberedLogLine[]>): Promise<void> {
  stop = followRun('i', (item) => news.push(item), { readNewestLines, readDetails: async () => {} });
  await jest.advanceTimersByTimeAsync(0);
}

const streamsStillOpen = () => openedStreams.filter(({ readyState }) => readyState !== FakeEventSource.CLOSED);
const connections = () => news.flatMap((item) => (item.type === 'connection' ? [item.connection] : []));

test('the stream of a run on which nothing arrives for 15 seconds is replaced, and reported to the user as lost', () => {
  openedStreams[0]?.send('open');
  jest.advanceTimersByTime(14_000);
  expect(openedStreams).toHaveLength(1);
  jest.advanceTimersByTime(2_000);
  expect(openedStreams).toHaveLength(2);
  expect(streamsStillOpen()).toEqual([openedStreams[1]]);
  openedStreams[1]?.send('open');
  expect(connections()).toEqual(['live', 'lost', 'live']);
});

test.each(['heartbeat', 'log'])('the stream of a run that brings a %s every ten seconds stays open', (event) => {
  openedStreams[0]?.send('open');
  for (let n = 1; n <= 10; n += 1) {
    jest.advanceTimersByTime(10_000);
    openedStreams[0]?.send(event, { message: 'm' }, String(n));
  }
  expect(openedStreams).toHaveLength(1);
  expect(connections()).toEqual(['live']);
});

test('a run that has ended is not followed any longer', () => {
  openedStreams[0]?.send('open');
  openedStreams[0]?.send('status', ENDED, '0.end');
  expect(news.at(-1)).toEqual({ type: 'body', body: ENDED });
  expect(streamsStillOpen()).toEqual([]);
  jest.advanceTimersByTime(60_000);
  expect(openedStreams).toHaveLength(1);
});

test('a hidden page keeps no stream of a run, and opens one after the last line when it is shown again', async () => {
  openedStreams[0]?.send('open');
  openedStreams[0]?.send('log', { message: 'm' }, '7');
  focusManager.setFocused(false);
  await jest.advanceTimersByTimeAsync(60_000);
  expect(streamsStillOpen()).toEqual([]);
  focusManager.setFocused(true);
  expect(streamsStillOpen().map(({ url }) => url)).toEqual(['/manage/v1/instances/i/events?after=7']);
  openedStreams.at(-1)?.send('open');
  expect(connections().at(-1)).toBe('live');
});

test('a run that is opened in a hidden page is followed when the page is shown', async () => {
  stop();
  openedStreams.length = 0;
  focusManager.setFocused(false);
  await follow(async () => [newestLine]);
  expect(openedStreams).toEqual([]);
  focusManager.setFocused(true);
  expect(openedStreams.map(({ url }) => url)).toEqual(['/manage/v1/instances/i/events?after=900']);
});

test('a page that is hidden and shown after an outage follows its run although the newest lines are not read yet', async () => {
  stop();
  openedStreams.length = 0;
  const { promise: lines, resolve: answer } = Promise.withResolvers<NumberedLogLine[]>();
  await follow(() => lines);
  onlineManager.setOnline(false);
  onlineManager.setOnline(true);
  focusManager.setFocused(false);
  focusManager.setFocused(true);
  answer([]);
  await jest.advanceTimersByTimeAsync(0);
  expect(streamsStillOpen()).toEqual([openedStreams.at(-1)]);
});

const newestLine: NumberedLogLine = {
  number: 900,
  timestamp: '2026-01-01T00:00:00.000Z',
  severity: 'INFO',
  message: 'm',
  stepID: 's',
  userName: '',
  version: '1',
  evidence: null,
};

test('a run shows the newest lines first, and its stream brings only the lines after them', async () => {
  stop();
  await follow(async () => [newestLine]);
  expect(news.at(-1)).toEqual({ type: 'lines', lines: [newestLine] });
  expect(openedStreams.at(-1)?.url).toMatch(/\?after=900$/);
  openedStreams.at(-1)?.send('log', newestLine, '901');
  await jest.advanceTimersByTimeAsync(20_000);
  expect(openedStreams.at(-1)?.url).toMatch(/\?after=901$/);
});

test('a run whose newest lines cannot be read is followed from its first line', async () => {
  stop();
  await follow(async () => Promise.reject(new Error('away')));
  expect(openedStreams.at(-1)?.url).toMatch(/\?after=0$/);
});
