import type { InstanceEnded, InstanceInProgress, LogLine } from './generated/api';
import { BatutaError, BatutaUnreachable } from './error';
import { readEventStream } from './event-stream';
import { EVENT_STREAM, type TypedHttp } from './http';
import { pauseAfter, requireTimeLimit, sleep } from './retry';

/** What happens in an instance: a line of its log, or another state. With `id` as `lastEventID` the events continue after this one. */
export type InstanceEvent =
  | { event: 'log'; id: string; data: LogLine }
  | { event: 'status'; id: string; data: InstanceInProgress | InstanceEnded };

export interface FollowOptions {
  /**
   * Continues after this event: the log lines that follow it, then the present status; nothing follows the event with the end. Default: from the
   * first line of the log.
   */
  lastEventID?: string;
  /** Milliseconds from the first failure of an outage after which the last error is thrown; default: 300,000. */
  within?: number;
  signal?: AbortSignal;
}

const DEFAULT_RETRY_TIME_LIMIT_MS = 300_000;
/** Fifteen heartbeats: a gateway sends one every two seconds while nothing changes. */
const MAX_SILENCE_MS = 30_000;
/** Bytes of events that wait for a slow caller; a stream with more of them ends, and is continued later. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** Pause between two streams, so that a gateway that ends streams at once is not called without a pause. */
const RECONNECT_PAUSE_MS = 200;

/** Opens a stream of the events after the given one; the answer 204 means that none follow. Throws when the stream is refused. */
export type OpenStream = (lastEventID: string | undefined, signal: AbortSignal) => Promise<Response>;

/** The events of an instance over the public API, as `followEvents` has them. */
export function followInstance(
  http: TypedHttp,
  iid: string,
  options: FollowOptions = {},
): AsyncGenerator<InstanceEvent> {
  return followEvents(async (last, signal) => {
    const headers = { accept: EVENT_STREAM, ...(last !== undefined && { 'Last-Event-ID': last }) };
    const init = { params: { path: { iid } }, headers, parseAs: 'stream', signal } as const;
    const { response, error } = await http.GET('/v1/instances/{iid}/events', init);
    if (!response.ok) throw BatutaError.of(response, error);
    return response;
  }, options);
}

/**
 * The events of an instance up to its end, each once and in order. A stream that ends is continued with `Last-Event-ID`, also at
 * another replica and after an outage. Throws a final refusal at once, the last error when an outage lasts longer than `within`, and the reason
 * of `signal` when that aborts.
 */
export async function* followEvents(
  open: OpenStream,
  { lastEventID, within = DEFAULT_RETRY_TIME_LIMIT_MS, signal }: FollowOptions = {},
): AsyncGenerator<InstanceEvent> {
  requireTimeLimit(within);
  let last = lastEventID;
  let lastStatus: string | undefined;
  let failedAt = 0;
  for (let failures = 0; ;) {
    const connection = new AbortController();
    try {
      const response = await open(last, AbortSignal.any([connection.signal, ...(signal ? [signal] : [])]));
      if (response.status === 204 || !response.body) return;
      let isEmpty = true;
      for await (const { event, id, data } of readEventStream(failWhenSilent(readAhead(response.body), connection))) {
        // Reconnects to learn the reason: the API refuses the next request with the status and a request id, which the event lacks.
        if (event === 'refused') throw new BatutaUnreachable(new Error('the stream was ended'));
        failures = 0;
        isEmpty = false;
        if (id === undefined || (event !== 'log' && event !== 'status')) continue;
        // Each stream has the present status after its log lines, also if an earlier stream has reported it.
        if (event === 'status' && data === lastStatus) continue;
        if (event === 'status') lastStatus = data;
        const found: InstanceEvent = { event, id, data: JSON.parse(data) };
        last = id;
        yield found;
        if (found.event === 'status' && 'finishedAt' in found.data) return;
      }
      // Every stream of the API begins with an event: an answer without one comes from another server, such as a proxy.
      if (isEmpty) throw new SyntaxError('the answer has no event');
      await sleep(RECONNECT_PAUSE_MS, signal);
    } catch (fault) {
      signal?.throwIfAborted();
      failures += 1;
      // Not the last answer: the caller may have taken long for an event, and the machine may have been suspended.
      if (failures === 1) failedAt = Date.now();
      const error = fault instanceof BatutaError ? fault : new BatutaUnreachable(fault);
      const pause = pauseAfter(error, failures, Math.random());
      if (pause === undefined || Date.now() + pause > failedAt + within) throw error;
      await sleep(pause, signal);
    } finally {
      connection.abort();
    }
  }
}

/**
 * The chunks of `body`, which is read without a pause: when the server closes a connection that a slow reader has paused, Node's `fetch` throws an
 * error that nobody can catch. Ends early when MAX_WAITING_BYTES wait.
 */
function readAhead(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const queue = new TransformStream<Uint8Array, Uint8Array>(
    {
      transform(chunk, controller) {
        controller.enqueue(chunk);
        if ((controller.desiredSize ?? 0) <= 0) controller.terminate();
      },
    },
    undefined,
    new ByteLengthQueuingStrategy({ highWaterMark: MAX_WAITING_BYTES }),
  );
  return body.pipeThrough(queue);
}

/** The chunks of `body`; aborts the connection when no chunk arrives for MAX_SILENCE_MS. */
async function* failWhenSilent(
  body: AsyncIterable<Uint8Array>,
  connection: AbortController,
): AsyncGenerator<Uint8Array> {
  const end = () => connection.abort(new DOMException('The stream was silent for too long.', 'TimeoutError'));
  let timer = setTimeout(end, MAX_SILENCE_MS);
  try {
    for await (const chunk of body) {
      clearTimeout(timer);
      yield chunk;
      timer = setTimeout(end, MAX_SILENCE_MS);
    }
  } finally {
    clearTimeout(timer);
  }
}
