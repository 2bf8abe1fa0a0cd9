import { barLine, busyWarning, table } from '../report.mjs';
import { sum } from '../statistics.mjs';
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
    'Processor time of a call in microseconds: of all programs, of the load generator, and of each program. Of the agent that only speaks the protocol none is counted.',
    ...table(
      ['connections', 'what', 'engine', 'all', 'load', 'each'],
      cells.map((cell) => processorRowOf(cell)),
    ),
    '',
    ...compareWithPeers(cells).map(barLine),
  ].join('\n');
}

function processorRowOf({ connections, kind, engine, cpu: { load, ...cpu } }) {
  const whole = (value) => (Number.isFinite(value) ? value.toFixed(0) : '');
  const each = Object.entries(cpu).filter(([, one]) => one >= 1);
  each.sort(([, one], [, other]) => other - one);
  const names = each.map(([name, one]) => `${name} ${whole(one)}`).join(', ');
  return [String(connections), kind, engine, whole(sum(Object.values(cpu))), whole(load), names];
}

function rowOf({ connections, kind, engine, perSecond, p50, p99 }, cells) {
  const own = cells.find((one) => one.engine === PRODUCT && one.kind === kind && one.connections === connections);
  const ratio = engine === PRODUCT ? '' : ` (${(own.perSecond / perSecond).toFixed(2)})`;
  return [String(connections), kind, engine, `${perSecond.toFixed(0)}${ratio}`, p50.toFixed(2), p99.toFixed(2)];
}
