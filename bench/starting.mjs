import { randomUUID } from 'node:crypto';
import { Agent, request as httpRequest } from 'node:http';
import { quantile } from './statistics.mjs';

export const WARM_UP_CALL_COUNT = 100;
/** Number of calls per turn; turns are short, so that a slow second of the machine affects both sides. */
export const CALLS_PER_TURN = 50;

/**
 * Measures single starts on an idle system, each after the end of the previous one: the milliseconds until the instance runs, counted from
 * the request and from the answer to it. The instance counts as running when the agent gets the grant: `running` is committed before the grant is
 * sent, so this moment may be slightly late and is never early. Calls of the floor by the same client alternate with the starts, so that both
 * are measured in the same way at the same time.
 */
export async function measureSingleStarts({ url, start, floorUrl, agent, count }) {
  const http = new Agent({ keepAlive: true, maxSockets: 1 });
  const callFloor = createFloorCall({ http, floorUrl, start });
  const startOne = () => startToRunning({ http, url, start, agent });
  await repeat(WARM_UP_CALL_COUNT, callFloor);
  await repeat(WARM_UP_CALL_COUNT, startOne);
  const floor = [];
  const starts = [];
  while (starts.length < count) {
    floor.push(...(await repeat(CALLS_PER_TURN, callFloor)));
    starts.push(...(await repeat(CALLS_PER_TURN, startOne)));
  }
  http.destroy();
  const spreadOfTimes = (name) => spreadOf(starts.map((one) => one[name]));
  return {
    count: starts.length,
    sent: WARM_UP_CALL_COUNT + starts.length,
    fromSent: spreadOfTimes('fromSent'),
    fromAnswer: spreadOfTimes('fromAnswer'),
    answer: spreadOfTimes('answer'),
    floor: spreadOf(floor),
  };
}

/** Returns a function that calls the floor with the request of a start, and resolves to the milliseconds of the call. */
export function createFloorCall({ http, floorUrl, start }) {
  return () => timed(() => post(http, floorUrl, { ...start, path: '/' }));
}

/**
 * Makes one start in an environment with `agent` connected, and waits for its end. Resolves to milliseconds: from the request (`fromSent`) and from
 * its answer (`fromAnswer`) until the agent gets the grant, and from the request to the answer (`answer`). Rejects when it is not answered 200.
 */
export async function startToRunning({ http, url, start, agent }) {
  const sent = performance.now();
  const { status, body } = await post(http, url, start);
  const answered = performance.now();
  if (status !== 200) throw new Error(`a start with an agent connected was answered ${status}: ${body}`);
  const { instanceID } = JSON.parse(body);
  const granted = await agent.moment('granted', instanceID);
  await agent.moment('ended', instanceID);
  return { fromSent: granted - sent, fromAnswer: granted - answered, answer: answered - sent };
}

/** The results of `work`, run several times, one after the other. */
export async function repeat(times, work) {
  const results = [];
  for (let index = 0; index < times; index++) results.push(await work());
  return results;
}

async function timed(work) {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

function spreadOf(values) {
  return { p50: quantile(values, 0.5), p99: quantile(values, 0.99) };
}

/** Sends a POST request with a new idempotency key; resolves to the answer, whatever its status. */
export function post(agent, url, { path, headers, body }) {
  return new Promise((resolve, reject) => {
    const keyed = { ...headers, 'Idempotency-Key': randomUUID(), 'Content-Length': Buffer.byteLength(body) };
    const request = httpRequest(`${url}${path}`, { method: 'POST', agent, headers: keyed }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode, body: Buffer.concat(chunks).toString() }));
    });
    request.on('error', reject);
    request.end(body);
  });
}
