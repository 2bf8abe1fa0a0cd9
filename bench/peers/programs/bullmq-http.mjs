import { requirePeer, serveJson } from './http.mjs';

const { Queue, QueueEvents } = requirePeer('bullmq');
const WAIT_TIME_LIMIT_MS = 60_000;

const connection = { host: '127.0.0.1', port: Number(process.env.REDIS_PORT), maxRetriesPerRequest: null };
// The first queue has starts that no worker runs, the second one starts that the worker runs.
const accepted = new Queue('accepted', { connection });
const answered = new Queue('answered', { connection });
const events = new QueueEvents('answered', { connection });
await events.waitUntilReady();

serveJson({
  '/send': async (body) => ({ id: (await accepted.add('start', body)).id }),
  '/call': async (body) => (await answered.add('start', body)).waitUntilFinished(events, WAIT_TIME_LIMIT_MS),
});
