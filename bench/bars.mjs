// The bars of docs/bench.md, the goals of the product's speed and memory; `compareWithBars` says for each what is compared.
const MIN_THROUGHPUT_RATIO = 0.3;
const MAX_STARTING_RATIO = 4;
const MAX_MEGABYTES = 150;
const MIN_WEBHOOK_RATIO = 0.8;
const MAX_ANSWERING_RATIO = 3;
const MAX_KILOBYTES_PER_CALL = 50;

/** The bars of the default run, each with the measured value and whether the run reached it. */
export function compareWithBars({ ratios, cells, starting, memory, answering, waiting }) {
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
      bar: `accepted starts at 50 connections ≥ ${MIN_THROUGHPUT_RATIO} × the floor's throughput`,
      measured: throughput.toFixed(2),
      reached: throughput >= MIN_THROUGHPUT_RATIO,
    },
    // The time to running may be counted from the answer of the acceptance or, more strictly, from the request; both are compared with the bar.
    ...[
      ['from the acceptance answered', untilRunning('fromAnswer')],
      ['from the request sent', untilRunning('fromSent')],
    ].map(([from, ratio]) => ({
      bar: `start to running ${from}, p50 < ${MAX_STARTING_RATIO} × the floor's p50 at 1 connection`,
      measured: ratio.toFixed(2),
      reached: ratio < MAX_STARTING_RATIO,
    })),
    {
      bar: `every service < ${MAX_MEGABYTES} MB after the run`,
      measured: `${megabytes.toFixed(0)} MB (${heaviest})`,
      reached: megabytes < MAX_MEGABYTES,
    },
    {
      bar: `webhook Imediata at 50 connections ≥ ${MIN_WEBHOOK_RATIO} × the throughput of an API start`,
      measured: webhook.toFixed(2),
      reached: webhook >= MIN_WEBHOOK_RATIO,
    },
    // The call may be compared with a start that is also run or, more strictly, with a start that is only accepted; the bar applies to both.
    ...[
      ['of the same process, run by the same agent', answering.running],
      ['that is only accepted', answering.starting],
    ].map(([which, { p50 }]) => ({
      bar: `webhook Aguardar, call to answer, p50 < ${MAX_ANSWERING_RATIO} × an API start ${which}, both at ${answering.connections} connections`,
      measured: (answering.answering.p50 / p50).toFixed(2),
      reached: answering.answering.p50 / p50 < MAX_ANSWERING_RATIO,
    })),
    {
      bar: `a waiting call costs < ${MAX_KILOBYTES_PER_CALL} KB in the services together, ${waiting.calls} of them`,
      measured: `${waiting.perCall.toFixed(1)} KB, ${waiting.waiting} waiting`,
      reached: waiting.perCall < MAX_KILOBYTES_PER_CALL && waiting.waiting === waiting.calls,
    },
  ];
}
