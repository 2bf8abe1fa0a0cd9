'use strict';
// The load generator, a process of its own: receives one order at a time over IPC and answers with its measurements.
const { randomBytes } = require('node:crypto');
const autocannon = require('autocannon');

/** Autocannon checks the clock at this interval, which bounds how exactly a measurement ends. */
const SAMPLE_MS = 100;

process.on('message', (order) => {
  measure(order).then(
    (measured) => process.send({ measured }),
    (error) => process.send({ failed: String(error) }),
  );
});
process.on('disconnect', () => process.exit());

/** `pieces`: HTTP texts of the requests, used in turn, each cut where its idempotency key belongs. */
async function measure({ url, pieces, connections, seconds, amount }) {
  const nextRequest = keyed(pieces);
  const latencies = [];
  const startedAt = performance.now();
  let endedAt = startedAt;
  const running = autocannon({
    url,
    connections,
    ...(amount === undefined ? { duration: seconds } : { amount }),
    sampleInt: SAMPLE_MS,
    // Autocannon's own way to vary a request builds it again each time, which costs as much as the floor itself.
    setupClient: (client) => {
      client.getRequestBuffer = nextRequest;
    },
  });
  running.on('response', (_client, _status, _bytes, milliseconds) => {
    latencies.push(milliseconds);
    endedAt = performance.now();
  });
  const result = await running;
  return {
    ok: result['2xx'],
    wrong: result.non2xx + result.errors + result.timeouts,
    sent: result.requests.sent,
    seconds: (endedAt - startedAt) / 1_000,
    ...percentiles(latencies),
  };
}

function keyed(pieces) {
  const run = randomBytes(6).toString('hex');
  let count = 0;
  return () => {
    const [before, after] = pieces[count % pieces.length];
    count += 1;
    return `${before}${run}-${count}${after}`;
  };
}

function percentiles(latencies) {
  const sorted = Float64Array.from(latencies).toSorted();
  const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
  return { p50: at(0.5), p99: at(0.99) };
}
