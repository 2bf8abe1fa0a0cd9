import { holdTimers } from '../../../test/support/held-timers';
import { Batuta, BatutaError, type InstanceEvent } from '.';

type ScriptedAnswer = Response | undefined;

/** A client whose calls get these answers in order; `undefined` = the connection fails. */
function clientOf(...answers: ScriptedAnswer[]) {
  const lastEventIDs: (string | null)[] = [];
  const fetch = async ({ headers }: Request) => {
    lastEventIDs.push(headers.get('last-event-id'));
    const answer = answers.shift();
    if (!answer) throw new TypeError('fetch failed');
    return answer;
  };
  return { lastEventIDs, instance: new Batuta({ url: 'http://api.test', credential: 'c', fetch }).instance('i') };
}

const streamOf = (text: string) =>
  new Response(`retry: 1000\n\n${text}`, { headers: { 'content-type': 'text/event-stream' } });
const logEvent = (line: number) => `event: log\nid: ${line}\ndata: {"message":"m${line}"}\n\n`;
const RUNNING_EVENT = 'event: status\nid: 1\ndata: {"status":"running"}\n\n';
const PAUSED_EVENT = 'event: status\nid: 1\ndata: {"status":"running","paused":true}\n\n';
const END_EVENT = 'event: status\nid: 2.end\ndata: {"status":"success","finishedAt":"2026-11-20T14:03:09.480Z"}\n\n';
const refusalOf = (status: number, code: string) =>
  Response.json({ error: { code, message: 'm' } }, { status, headers: { 'x-request-id': 'r1' } });
const namesOf = (events: InstanceEvent[]) => events.map(({ event, id }) => `${event} ${id}`);

test('an instance is followed up to its end', async () => {
  const { instance, lastEventIDs } = clientOf(streamOf(logEvent(1) + RUNNING_EVENT + logEvent(2) + END_EVENT));
  const events = await all(instance.events());
  expect(namesOf(events)).toEqual(['log 1', 'status 1', 'log 2', 'status 2.end']);
  expect(events[0]).toMatchObject({ data: { message: 'm1' } });
  expect(lastEventIDs).toEqual([null]);
});

test('a stream that ends or breaks is continued after its last event', async () => {
  const half = 'event: log\nid: 2\ndata: {"mess';
  const { instance, lastEventIDs } = clientOf(
    streamOf(logEvent(1) + half),
    undefined,
    refusalOf(503, 'UNAVAILABLE'),
    streamOf(logEvent(2)),
    streamOf(END_EVENT),
  );
  expect(namesOf(await all(instance.events()))).toEqual(['log 1', 'log 2', 'status 2.end']);
  expect(lastEventIDs).toEqual([null, '1', '1', '1', '2']);
});

test('a status that a continued stream repeats is reported once', async () => {
  const { instance } = clientOf(
    streamOf(logEvent(1) + RUNNING_EVENT),
    streamOf(RUNNING_EVENT),
    streamOf(RUNNING_EVENT + PAUSED_EVENT),
    streamOf(RUNNING_EVENT + END_EVENT),
  );
  const names = namesOf(await all(instance.events()));
  expect(names).toEqual(['log 1', 'status 1', 'status 1', 'status 1', 'status 2.end']);
});

test('a stream that is silent for fifteen heartbeats is continued over another connection', async () => {
  const silence = holdTimers(15 * 2_000);
  try {
    const lastEventIDs: (string | null)[] = [];
    const fetch = async ({ headers, signal }: Request) => {
      lastEventIDs.push(headers.get('last-event-id'));
      return lastEventIDs.length === 1 ? silentAfter(logEvent(1), signal) : streamOf(END_EVENT);
    };
    const batuta = new Batuta({ url: 'http://api.test', credential: 'c', timeout: 5_000, fetch });
    const names: string[] = [];
    for await (const { event, id } of batuta.instance('i').events()) {
      names.push(`${event} ${id}`);
      // The client waits for the next bytes only after this turn.
      setImmediate(() => silence.fire());
    }
    expect(names).toEqual(['log 1', 'status 2.end']);
    expect(lastEventIDs).toEqual([null, '1']);
  } finally {
    silence.release();
  }
});

test('following ends at once when the client has received the end of the instance before', async () => {
  const { instance, lastEventIDs } = clientOf(new Response(null, { status: 204 }));
  expect(await all(instance.events({ lastEventID: '2.end' }))).toEqual([]);
  expect(lastEventIDs).toEqual(['2.end']);
});

test('a stream that is refused while it runs throws the refusal of the next one', async () => {
  const refused = 'event: refused\ndata: {"error":{"code":"CREDENTIAL_REVOKED","message":"m"}}\n\n';
  const { instance } = clientOf(streamOf(logEvent(1) + refused), refusalOf(401, 'CREDENTIAL_REVOKED'));
  const error: unknown = await all(instance.events()).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(BatutaError);
  expect(error).toMatchObject({ status: 401, code: 'CREDENTIAL_REVOKED', requestID: 'r1' });
});

test('following ends with the last error when the API does not answer within the time limit', async () => {
  const { instance } = clientOf();
  await expect(all(instance.events({ within: 0 }))).rejects.toMatchObject({ name: 'BatutaUnreachable' });
});

describe('clocks that go on while nothing is read', () => {
  let passed = 0;
  beforeEach(() => {
    passed = 0;
    const now = Date.now;
    jest.spyOn(Date, 'now').mockImplementation(() => now() + passed);
  });
  afterEach(() => jest.restoreAllMocks());

  test('a stream that was closed while the caller worked on an event is continued', async () => {
    const { instance, lastEventIDs } = clientOf(streamOf(logEvent(1)), undefined, streamOf(END_EVENT));
    const names: string[] = [];
    for await (const { event, id } of instance.events({ within: 60_000 })) {
      names.push(`${event} ${id}`);
      passed += 120_000;
    }
    expect(names).toEqual(['log 1', 'status 2.end']);
    expect(lastEventIDs).toEqual([null, '1', '1']);
  });

  test('a stream that breaks while the machine is suspended for longer than the time limit is continued', async () => {
    let reads = 0;
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      reads += 1;
      if (reads === 1) return controller.enqueue(new TextEncoder().encode(logEvent(1)));
      passed += 120_000;
      throw new TypeError('terminated');
    };
    const body = new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 });
    const { instance } = clientOf(new Response(body), undefined, streamOf(END_EVENT));
    expect(namesOf(await all(instance.events({ within: 60_000 }))).at(-1)).toBe('status 2.end');
  });
});

test('an answer without an event, such as the page of another server, is a failure and no stream', async () => {
  const { instance } = clientOf(new Response('<!doctype html><title>Log in</title>'));
  await expect(all(instance.events({ within: 0 }))).rejects.toThrow(/does not come from the API; is the address right/);
});

test('following ends when the signal aborts, and leaves no connection open', async () => {
  const stop = new AbortController();
  let cancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(logEvent(1))),
    cancel: () => void (cancelled = true),
  });
  const { instance } = clientOf(new Response(endless));
  for await (const { event } of instance.events({ signal: stop.signal })) {
    expect(event).toBe('log');
    break;
  }
  expect(cancelled).toBe(true);
  stop.abort(new Error('enough'));
  await expect(all(instance.events({ signal: stop.signal }))).rejects.toThrow('enough');
});

/** A stream that stays open and silent after its first events, until the connection is aborted. */
function silentAfter(text: string, signal: AbortSignal): Response {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(new TextEncoder().encode(text));
      signal.addEventListener('abort', () => controller.error(signal.reason));
    },
  });
  return new Response(body);
}

async function all(events: AsyncIterable<InstanceEvent>): Promise<InstanceEvent[]> {
  const found: InstanceEvent[] = [];
  for await (const event of events) found.push(event);
  return found;
}
