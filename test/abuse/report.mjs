import { megabytes, MAX_P99_RATIO } from './verdict.mjs';

/** The measured values of an abuse run as text for people. */
export function reportText({
  options,
  seconds,
  quiet,
  preparing,
  alone = {},
  attacked,
  ratio,
  unfinished,
  tricks,
  memory,
  faults,
}) {
  const form = options.short ? 'each trick once' : 'all tricks at once, at full rate';
  return [
    `Attack of ${seconds.toFixed(0)} s, seed ${options.seed}: ${form}, from one client process that yields the processors to the services.`,
    '',
    `The neighbour, ${options.rate} starts a second      starts   errors   p50, ms   p99, ms   slowest, ms   processors of the busiest`,
    ...Object.entries({ quiet, preparing, ...alone, 'under attack': attacked }).map(([name, figures]) =>
      rowOf(name, figures),
    ),
    `p99 under attack ÷ quiet: ${ratio.toFixed(2)} (bar: under ${MAX_P99_RATIO}); instances that did not end: ${unfinished}`,
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

function rowOf(name, { starts, errors, p50, p99, slowest, processors, ends = 0 }) {
  const failed = Object.values(errors).reduce((sum, times) => sum + times, 0);
  const times = [p50, p99, slowest].map((value) => value.toFixed(1).padStart(10)).join('');
  const ended = ends > 0 ? `   ${ends} services ended` : '';
  const busiest = Object.entries(processors).toSorted(([, one], [, other]) => other - one);
  const busy = busiest.slice(0, 3).map(([program, share]) => `${program} ${share.toFixed(2)}`);
  return `  ${name.padEnd(34)}${String(starts).padStart(6)}${String(failed).padStart(9)}${times}   ${busy.join(', ')}${ended}`;
}

function memoryRow({ name, before, peak, limit, ends, lastEnd }) {
  const sizes = [before, peak, limit].map((bytes) => String(megabytes(bytes)).padStart(10)).join('');
  return `  ${name.padEnd(10)}${sizes}   ${ends}${ends > 0 ? ` (${lastEnd})` : ''}`;
}

function answerCountsText(answers) {
  const sorted = Object.entries(answers).toSorted(([, one], [, other]) => other - one);
  return sorted.map(([answer, times]) => `${times} × ${answer}`).join(' · ') || 'nothing was answered';
}
