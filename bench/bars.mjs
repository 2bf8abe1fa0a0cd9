const LEAST_THROUGHPUT = 0.3;
const MOST_STARTING = 5;
const MOST_MEGABYTES = 150;
const LEAST_WEBHOOK = 0.8;
const MOST_ANSWERING = 3;
const MOST_KILOBYTES = 50;

/** The figures that the project promises, each with whether this run reached it. */
export function judge({ ratios, cells, starting, memory, answering, waiting }) {
  const throughput = Math.min(
    ...ratios
      .filter(({ target, connections }) => connections === 50 && target !== 'webhook')
      .map(({ perSecond }) => perSecond),
  );
  const untilRunning = (from) => starting[from].p50 / starting.floor.p50;
  const [heaviest, megabytes] = Object.entries(memory).toSorted(([, a], [, b]) => b - a)[0];
  const at50 = (name) => cells.find(({ target, connections }) => target === name && connections === 50).perSecond;
  const webhook = at50('webhook') / at50('1 company');
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
    {
      bar: `webhook Imediata at 50 connections ≥ ${LEAST_WEBHOOK} × the throughput of an API start`,
      measured: webhook.toFixed(2),
      reached: webhook >= LEAST_WEBHOOK,
    },
    // Which start the answer stands beside is left open: one that is run as well, or, stricter, one that is only accepted.
    ...[
      ['of the same process, run by the same agent', answering.running],
      ['that is only accepted', answering.starting],
    ].map(([which, { p50 }]) => ({
      bar: `webhook Aguardar, call to answer, p50 < ${MOST_ANSWERING} × an API start ${which}, both at ${answering.connections} connections`,
      measured: (answering.answering.p50 / p50).toFixed(2),
      reached: answering.answering.p50 / p50 < MOST_ANSWERING,
    })),
    {
      bar: `a waiting call costs < ${MOST_KILOBYTES} KB in the services together, ${waiting.calls} of them`,
      measured: `${waiting.perCall.toFixed(1)} KB, ${waiting.waiting} waiting`,
      reached: waiting.perCall < MOST_KILOBYTES && waiting.waiting === waiting.calls,
    },
  ];
}
