const LEAST_THROUGHPUT = 0.3;
const MOST_STARTING = 5;
const MOST_MEGABYTES = 150;

/** The figures that the project promises, each with whether this run reached it. */
export function judge({ ratios, starting, floorP50, memory }) {
  const throughput = Math.min(
    ...ratios.filter(({ connections }) => connections === 50).map(({ perSecond }) => perSecond),
  );
  const untilRunning = starting.fromSent.p50 / floorP50;
  const [heaviest, megabytes] = Object.entries(memory).toSorted(([, a], [, b]) => b - a)[0];
  return [
    {
      bar: `accepted starts at 50 connections ≥ ${LEAST_THROUGHPUT} × the floor's throughput`,
      measured: throughput.toFixed(2),
      reached: throughput >= LEAST_THROUGHPUT,
    },
    {
      bar: `start to running, p50 < ${MOST_STARTING} × the floor's p50 at 1 connection`,
      measured: untilRunning.toFixed(2),
      reached: untilRunning < MOST_STARTING,
    },
    {
      bar: `every service < ${MOST_MEGABYTES} MB after the run`,
      measured: `${megabytes.toFixed(0)} MB (${heaviest})`,
      reached: megabytes < MOST_MEGABYTES,
    },
  ];
}
