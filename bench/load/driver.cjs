'use strict';
// The load generator, a process of its own: receives one order at a time over IPC and answers with its measurements.
const { randomBytes } = require('node:crypto');
const autocannon = require('autocannon');

/** Interval at which autocannon checks the clock; a measurement may end this much late. */
const SAMPLE_INTERVAL_MS = 100;

process.on('message', (order) => {
  measure(order).then(
    (measured) => process.send({ measured }),
    (error) => process.send({ failed: String(error) }),
  );
});
process.on('disconnect', () => process.exit());

/**
 * Sends requests for `seconds`, or `amount` of them to all targets together, until the last answer. `targets` = the addresses over which the
 * connections are spread, each with its `pieces`: the HTTP texts of the requests, used in turn, each cut at the place of the idempotency key.
 */
async function measure({ targets, connections, seconds, amount }) {
  const latencies = [];
  const startedAt = performance.now();
  let endedAt = startedAt;
  const share = (total, index) => Math.floor((total + index) / targets.length);
  const running = targets.map(({ url, pieces }, index) => {
    const nextRequest = requestsWithKeys(pieces);
    const one = autocannon({
      url,
      connections: share(connections, index),
      ...(amount === undefined ? { duration: seconds } : { amount: share(amount, index) }),
      sampleInt: SAMPLE_INTERVAL_MS,
      // Autocannon's own way to vary requests builds each one again, which takes as much processor time as the floor itself.
      setupClient: (client) => {
        client.getRequestBuffer = nextRequest;
      },
    });
    one.on('response', (_client, _status, _bytes, milliseconds) => {
      latencies.push(milliseconds);
      endedAt = performance.now();
    });
    return one;
  });
  const results = await Promise.all(running);
  const total = (count) => results.reduce((sum, result) => sum + count(result), 0);
  return {
    ok: total((result) => result['2xx']),
    wrong: total(({ non2xx, errors, timeouts }) => non2xx + errors + timeouts),
    sent: total(({ requests }) => requests.sent),
    seconds: (endedAt - startedAt) / 1_000,
    ...percentiles(latencies),
  };
}

/** Returns a function that gives the text of the next request, with a key that no other request has. */
function requestsWithKeys(pieces) {
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
