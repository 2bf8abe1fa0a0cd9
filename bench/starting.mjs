import { randomUUID } from 'node:crypto';
import { Agent, request as httpRequest } from 'node:http';
import { quantile } from './statistics.mjs';

const WARM_UP = 50;

/**
 * Single starts on an idle system, one after the other's end: how long until the instance runs. Its `running` is
 * committed before the grant leaves for the agent, so the grant's arrival there is that moment plus the way to the agent:
 * never too early. Milliseconds, from the request sent and from its acceptance answered; between the starts the floor is
 * called in the same way, to tell what a call costs at this moment.
 */
export async function measureStarting({ url, start, floorUrl, agent, count }) {
  const http = new Agent({ keepAlive: true, maxSockets: 1 });
  const all = [];
  for (let index = 0; index < WARM_UP + count; index++) {
    const sent = performance.now();
    const { status, body } = await post(http, url, start);
    const answered = performance.now();
    if (status !== 200) throw new Error(`a start with an agent connected was answered ${status}: ${body}`);
    const { instanceID } = JSON.parse(body);
    const granted = await agent.moment('granted', instanceID);
    await agent.moment('ended', instanceID);
    const floorSent = performance.now();
    await post(http, floorUrl, { ...start, path: '/' });
    const floor = performance.now() - floorSent;
    all.push({ fromSent: granted - sent, fromAnswer: granted - answered, answer: answered - sent, floor });
  }
  http.destroy();
  const measured = all.slice(WARM_UP);
  const spread = (name) => {
    const values = measured.map((one) => one[name]);
    return { p50: quantile(values, 0.5), p99: quantile(values, 0.99) };
  };
  return {
    count,
    sent: all.length,
    fromSent: spread('fromSent'),
    fromAnswer: spread('fromAnswer'),
    answer: spread('answer'),
    floor: spread('floor'),
  };
}

function post(agent, url, { path, headers, body }) {
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
