import { measurementsByKind, toMegabytes, MAX_P99_RATIO } from './find-faults.mjs';

/** Maximum share of the processors that other programs use before the first call; above it the report warns. */
const MAX_BUSY_SHARE = 0.2;
/** Programs that used less of a processor are left out. */
const MIN_USED_PROCESSORS = 0.05;

/** The measured values of an abuse run as text for people. */
export function reportText({
  options,
  seconds,
  busy,
  quiet,
  preparing,
  alone = {},
  attacked,
  ratios,
  unfinished,
  tricks,
  memory,
  faults,
}) {
  const form = options.short ? 'each trick once' : 'all tricks at once, at full rate';
  return [
    `Attack of ${seconds.toFixed(0)} s, seed ${options.seed}: ${form}, from one client process that yields the processors to the services.`,
    ...(busy > MAX_BUSY_SHARE
      ? [`Other programs used ${(busy * 100).toFixed(0)} % of the processors: this run says little.`]
      : []),
    '',
    `The neighbour, ${options.rate} starts a second`,
    '                                       calls   errors   p50, ms   p99, ms   slowest   p99 of own delay   processors that the busiest used (waited for)',
    ...Object.entries({ quiet, preparing, ...alone, 'under attack': attacked }).flatMap(rowsOf),
    `p99 under attack ÷ quiet (bar: under ${MAX_P99_RATIO}): ${ratiosText(ratios)}; instances that did not end: ${unfinished}`,
    '',
    'Service       start, MB   peak, MB   limit, MB   ended by itself',
    ...memory.map(memoryRow),
    `(limits ${memory[0]?.enforced === 'cgroup' ? 'enforced by the kernel' : 'enforced by sampling'})`,
    '',
    ...tricks.flatMap(({ name, what, rounds, seconds: took, answers }) => [
      `${name} (${rounds} rounds, ${took.toFixed(1)} s): ${what}`,
      `    ${answerCountsText(answers)}`,
    ]),
    '',
    ...(faults.length === 0 ? ['Every bar is reached.'] : faults.map((fault) => `MISSED: ${fault}`)),
  ].join('\n');
}

function rowsOf([phase, measured]) {
  return measurementsByKind(measured).map(([kind, values], index) =>
    rowOf(index === 0 ? `${phase}: ${kind}` : `  ${kind}`, values),
  );
}

function rowOf(name, { calls, errors, p50, p99, slowest, late, processors = {}, ends = 0 }) {
  const failed = Object.values(errors).reduce((sum, times) => sum + times, 0);
  const times = [p50, p99, slowest, late].map((value) => value.toFixed(1).padStart(10)).join('');
  const ended = ends > 0 ? `   ${ends} services ended` : '';
  const busiest = Object.entries(processors).toSorted(([, one], [, other]) => other.used - one.used);
  const busy = busiest
    .filter(([, { used }]) => used >= MIN_USED_PROCESSORS)
    .map(([program, { used, waited }]) => `${program} ${used.toFixed(2)} (${waited.toFixed(2)})`);
  return `  ${name.padEnd(34)}${String(calls).padStart(8)}${String(failed).padStart(9)}${times}   ${busy.join(', ')}${ended}`;
}

function ratiosText(ratios) {
  return Object.entries(ratios)
    .map(([kind, ratio]) => `${kind} ${ratio.toFixed(1)}`)
    .join(', ');
}

function memoryRow({ name, before, peak, limit, ends, lastEnd }) {
  const sizes = [before, peak, limit].map((bytes) => String(toMegabytes(bytes)).padStart(10)).join('');
  return `  ${name.padEnd(10)}${sizes}   ${ends}${ends > 0 ? ` (${lastEnd})` : ''}`;
}

function answerCountsText(answers) {
  const sorted = Object.entries(answers).toSorted(([, one], [, other]) => other - one);
  return sorted.map(([answer, times]) => `${times} × ${answer}`).join(' · ') || 'nothing was answered';
}
