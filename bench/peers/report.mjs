import { barLine, busyWarning, table } from '../report.mjs';
import { compareWithPeers, PRODUCT } from './run.mjs';

/** The cells of `runPeers` as text. */
export function peersToText({ busy, cells }) {
  return [
    ...busyWarning(busy),
    'Starts a second (in brackets: Batuta ÷ the engine)',
    ...table(
      ['connections', 'what', 'engine', 'a second', 'p50 ms', 'p99 ms'],
      cells.map((cell) => rowOf(cell, cells)),
    ),
    '',
    ...compareWithPeers(cells).map(barLine),
  ].join('\n');
}

function rowOf({ connections, kind, engine, perSecond, p50, p99 }, cells) {
  const own = cells.find((one) => one.engine === PRODUCT && one.kind === kind && one.connections === connections);
  const ratio = engine === PRODUCT ? '' : ` (${(own.perSecond / perSecond).toFixed(2)})`;
  return [String(connections), kind, engine, `${perSecond.toFixed(0)}${ratio}`, p50.toFixed(2), p99.toFixed(2)];
}
