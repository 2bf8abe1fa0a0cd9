import { barLine, busyWarning, table } from '../report.mjs';
import { sum } from '../statistics.mjs';

/** Number of statements, those with the most waits, that are shown for each cell. */
const MAX_SHOWN_WAITS = 5;
const PROGRAMS = ['gateway', 'execution', 'router', 'mariadb', 'nats'];

/** The results of `runScaleOut` as text. */
export function scaleOutToText({ cpus, node, busy, cells, bars }) {
  const nameOf = ({ replicas, kind, connections }) => [String(replicas), kind, String(connections)];
  const head = ['of each', 'what', 'connections'];
  return [
    `${cpus} processors, Node ${node}, one MariaDB and one NATS; each number of replicas in turns with one of each (the row above it)`,
    ...busyWarning(busy),
    '',
    'Starts, and their processor time in microseconds (all replicas together)',
    ...table(
      [...head, 'a second', 'p50 ms', 'p99 ms', 'all', ...PROGRAMS],
      cells.map((cell) => [
        ...nameOf(cell),
        cell.perSecond.toFixed(0),
        cell.p50.toFixed(1),
        cell.p99.toFixed(1),
        ...[sum(Object.values(cell.cpu)), ...PROGRAMS.map((name) => cell.cpu[name])].map((used) => used.toFixed(0)),
      ]),
    ),
    '',
    'Of one start: waits for locks of rows and their time, commits, writes of the log, statements, messages and bytes that NATS received and sent',
    ...table(
      [
        ...head,
        'lock waits',
        'waited us',
        'commits',
        'log writes',
        'statements',
        'received',
        'sent',
        'bytes',
        'connections',
      ],
      cells.map((cell) => [...nameOf(cell), ...countsOf(cell)]),
    ),
    '',
    'Statements that wait for locks of rows: how many at a moment, on average',
    ...cells.flatMap((cell) => waitLines(nameOf(cell).join(', '), cell)),
    '',
    ...bars.map(barLine),
  ].join('\n');
}

function countsOf({ perStart, openConnections }) {
  const { lockWaits, lockMs, commits, logWrites, statements, ...nats } = perStart;
  return [
    lockWaits.toFixed(3),
    (lockMs * 1_000).toFixed(0),
    ...[commits, logWrites, statements, nats.natsReceived, nats.natsSent].map((count) => count.toFixed(2)),
    (nats.natsReceivedBytes + nats.natsSentBytes).toFixed(0),
    String(openConnections),
  ];
}

function waitLines(name, { waits, perStart, ok }) {
  const deadlocks = Math.round(perStart.deadlocks * ok);
  return [
    ...(deadlocks > 0 ? [`  ${name}: ${deadlocks} deadlocks`] : []),
    ...waits
      .slice(0, MAX_SHOWN_WAITS)
      .map(({ text, lock, mode, waiting }) => `  ${name}: ${waiting.toFixed(2)} for ${lock} (${mode}): ${text}`),
  ];
}
