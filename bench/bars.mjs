const LEAST_THROUGHPUT = 0.3;
const MOST_STARTING = 5;
const MOST_MEGABYTES = 150;

/** The figures that the project promises, each with whether this run reached it. */
export function judge({ ratios, starting, floorP50, memory }) {
  const throughput = Math.min(
    ...ratios.filter(({ connections }) => connections === 50).map(({ perSecond }) => perSecond),
  );
  const untilRunning = (from) => starting[from].p50 / floorP50;
  const [heaviest, megabytes] = Object.entries(memory).toSorted(([, a], [, b]) => b - a)[0];
  return [
    {
      bar: `accepted starts at 50 connections ≥ ${LEAST_THROUGHPUT} × the floor's throughput`,
      measured: throughput.toFixed(2),
      reached: throughput >= LEAST_THROUGHPUT,
    },
    // Accepted starts have figures of their own above, so the way from there is one bar, the whole way the stricter one.
    ...[
      ['from the acceptance answered', untilRunning('fromAnswer')],
      ['from the request sent', untilRunning('fromSent')],
    ].map(([from, ratio]) => ({
      bar: `start to running ${from}, p50 < ${MOST_STARTING} × the floor's p50 at 1 connection`,
      measured: ratio.toFixed(2),
      reached: ratio < MOST_STARTING,
    })),
    {
      bar: `every service < ${MOST_MEGABYTES} MB after the run`,
      measured: `${megabytes.toFixed(0)} MB (${heaviest})`,
      reached: megabytes < MOST_MEGABYTES,
    },
  ];
}
