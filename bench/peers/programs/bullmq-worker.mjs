import { answerOf, requirePeer } from './http.mjs';

const { Worker } = requirePeer('bullmq');
const CONCURRENCY = 100;

const connection = { host: '127.0.0.1', port: Number(process.env.REDIS_PORT), maxRetriesPerRequest: null };
const worker = new Worker('answered', async ({ data }) => answerOf(data), { connection, concurrency: CONCURRENCY });
worker.on('error', (error) => console.error(error));
