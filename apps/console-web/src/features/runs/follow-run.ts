import { focusManager, onlineManager } from '@tanstack/react-query';
import { CallError } from '../../api/error';
import type { EndedInstance, InstanceInProgress, LogLineAnswer } from '../../api/generated/console-api';
import type { NumberedLogLine } from './run-log';

/** The state of a run as its stream sends it, without the log. */
export type RunBody = InstanceInProgress | EndedInstance;
/** `ended` = the run has ended, so that its stream is closed for good. */
export type RunConnection = 'connecting' | 'live' | 'lost' | 'ended';

/** What `followRun` reports about a run. */
export type RunNews =
  | { type: 'connection'; connection: RunConnection }
  | { type: 'body'; body: RunBody }
  | { type: 'lines'; lines: NumberedLogLine[] }
  | { type: 'error'; error: Error };

/** Lines arrive in bursts; the page is drawn once for the lines of this interval. */
const DRAW_INTERVAL_MS = 150;
/** The pause before a refused stream is opened again is one second at first and doubles with each further refusal, up to this. */
const MAX_RECONNECT_DELAY_MS = 30_000;
/** The console sends a heartbeat every two seconds while nothing changes; after this time without any event the connection is lost. */
const MAX_SILENCE_MS = 15_000;

interface RunReads {
  /** Reads the newest lines of the log, the oldest of them first. */
  readNewestLines: () => Promise<NumberedLogLine[]>;
  /**
   * Reads the details of the run by an ordinary call: after each status event, and after the stream was refused, because this call waits for a
   * login and throws the reason of the refusal, whereas an EventSource does not expose it and does not reconnect.
   */
  readDetails: () => Promise<unknown>;
}

/**
 * Reads the newest lines of a run, and then keeps an EventSource open until the run has ended, the console refuses it for good, or the
 * returned function is called. An EventSource reconnects by itself after a lost connection. A hidden page has none.
 */
export function followRun(
  iid: string,
  dispatch: (news: RunNews) => void,
  { readNewestLines, readDetails }: RunReads,
): () => void {
  let source: EventSource | undefined;
  let reconnectTimer: ReturnType<typeof setTimeout> | undefined;
  let silenceTimer: ReturnType<typeof setTimeout> | undefined;
  let drawTimer: ReturnType<typeof setTimeout> | undefined;
  /** Lines that arrived and are not reported yet. */
  let lines: NumberedLogLine[] = [];
  /** The number of the newest reported line, after which the next stream begins. */
  let newest = 0;
  let failures = 0;
  let hasBegun = false;
  let isOver = false;

  const draw = () => {
    clearTimeout(drawTimer);
    drawTimer = undefined;
    newest = lines.at(-1)?.number ?? newest;
    if (lines.length > 0) dispatch({ type: 'lines', lines });
    lines = [];
  };
  const disconnect = () => {
    source?.close();
    clearTimeout(reconnectTimer);
    clearTimeout(silenceTimer);
  };
  // An EventSource does not notice a dead connection while nothing arrives, so it is closed as soon as calls notice the
  // outage.
  const unsubscribeFromOutages = onlineManager.subscribe((isConnected) => {
    disconnect();
    if (isConnected) connect();
    else dispatch({ type: 'connection', connection: 'lost' });
  });
  // All windows of a browser share six connections to a server that speaks HTTP/1.1: with as many hidden pages of runs no page would load.
  const unsubscribeFromVisibility = focusManager.subscribe((isVisible) => {
    if (!isVisible) disconnect();
    // The end of an outage connects also before the newest lines are read, and they connect only where no stream was opened.
    else if (source ? source.readyState === EventSource.CLOSED : hasBegun) connect();
  });
  const stop = () => {
    isOver = true;
    unsubscribeFromOutages();
    unsubscribeFromVisibility();
    disconnect();
    clearTimeout(drawTimer);
  };
  const reconnect = async () => {
    disconnect();
    if (isOver) return;
    const lost = source;
    dispatch({ type: 'connection', connection: 'lost' });
    try {
      await readDetails();
    } catch (error) {
      if (isOver || source !== lost) return;
      if (!(error instanceof CallError && error.isTemporary)) {
        stop();
        dispatch({ type: 'error', error: error instanceof Error ? error : new Error(String(error)) });
        return;
      }
    }
    // A new connection may have been made during the call.
    if (isOver || source !== lost) return;
    reconnectTimer = setTimeout(connect, Math.min(MAX_RECONNECT_DELAY_MS, 1_000 * 2 ** failures));
    failures += 1;
  };
  function connect() {
    disconnect();
    draw();
    if (!focusManager.isFocused()) return;
    const noteEvent = () => {
      clearTimeout(silenceTimer);
      silenceTimer = setTimeout(() => {
        dispatch({ type: 'connection', connection: 'lost' });
        connect();
      }, MAX_SILENCE_MS);
    };
    noteEvent();
    source = new EventSource(`/manage/v1/instances/${encodeURIComponent(iid)}/events?after=${newest}`);
    for (const name of ['open', 'heartbeat', 'log', 'status']) source.addEventListener(name, noteEvent);
    source.addEventListener('open', () => {
      failures = 0;
      dispatch({ type: 'connection', connection: 'live' });
    });
    source.addEventListener('error', () => {
      if (source?.readyState === EventSource.CLOSED) void reconnect();
      else dispatch({ type: 'connection', connection: 'lost' });
    });
    source.addEventListener('refused', () => void reconnect());
    source.addEventListener('log', ({ data, lastEventId }: MessageEvent<string>) => {
      const line: LogLineAnswer = JSON.parse(data);
      lines.push({ ...line, number: Number.parseInt(lastEventId, 10) });
      drawTimer ??= setTimeout(draw, DRAW_INTERVAL_MS);
    });
    source.addEventListener('status', ({ data }: MessageEvent<string>) => {
      const body: RunBody = JSON.parse(data);
      draw();
      if ('finishedAt' in body) stop();
      dispatch({ type: 'body', body });
      void readDetails().catch(() => undefined);
    });
  }
  const begin = async () => {
    // Without these lines the stream begins at the first line. A refusal needs no report here: the stream is refused as
    // well and reports it.
    const read = await readNewestLines().catch((): NumberedLogLine[] => []);
    // A connection may have been made during the call.
    hasBegun = true;
    if (isOver || source) return;
    lines = read;
    draw();
    connect();
  };
  void begin();
  return stop;
}
