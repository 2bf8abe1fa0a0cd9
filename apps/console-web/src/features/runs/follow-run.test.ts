import { followRun, type RunNews } from './follow-run';

/** The streams that were opened, oldest first. */
const opened: FakeEventSource[] = [];

class FakeEventSource extends EventTarget {
  static readonly CLOSED = 2;
  readyState = 1;

  constructor(readonly url: string) {
    super();
    opened.push(this);
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

beforeEach(() => {
  jest.useFakeTimers();
  Reflect.set(globalThis, 'EventSource', FakeEventSource);
  opened.length = 0;
  news = [];
  stop = followRun(
    'i',
    (item) => news.push(item),
    async () => {},
  );
});
afterEach(() => {
  stop();
  Reflect.deleteProperty(globalThis, 'EventSource');
  jest.useRealTimers();
});

const streamsStillOpen = () => opened.filter(({ readyState }) => readyState !== FakeEventSource.CLOSED);
const connections = () => news.flatMap((item) => (item.type === 'connection' ? [item.connection] : []));

test('a stream on which nothing arrives for 15 seconds is replaced, and reported to the user as lost', () => {
  opened[0]?.send('open');
  jest.advanceTimersByTime(14_000);
  expect(opened).toHaveLength(1);
  jest.advanceTimersByTime(2_000);
  expect(opened).toHaveLength(2);
  expect(streamsStillOpen()).toEqual([opened[1]]);
  opened[1]?.send('open');
  expect(connections()).toEqual(['live', 'lost', 'live']);
});

test.each(['heartbeat', 'log'])('a stream with a %s every ten seconds is kept', (event) => {
  opened[0]?.send('open');
  for (let n = 1; n <= 10; n += 1) {
    jest.advanceTimersByTime(10_000);
    opened[0]?.send(event, { message: 'm' }, String(n));
  }
  expect(opened).toHaveLength(1);
  expect(connections()).toEqual(['live']);
});

test('a run that has ended is not followed any longer', () => {
  opened[0]?.send('open');
  opened[0]?.send('status', ENDED, '0.end');
  expect(news.at(-1)).toEqual({ type: 'body', body: ENDED });
  expect(streamsStillOpen()).toEqual([]);
  jest.advanceTimersByTime(60_000);
  expect(opened).toHaveLength(1);
});
