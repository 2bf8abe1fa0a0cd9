import { get } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { nameOf } from '../http-client.mjs';

const STREAMS = 1_100;
const HOLD_MS = 5_000;

export const streams = {
  name: 'streams',
  what: `${STREAMS} event streams of one account, each held for ${HOLD_MS / 1_000} s`,

  some: ['stream', '429 RATE_LIMITED'],
  none: ['503 UNAVAILABLE'],

  async prepare(at) {
    const { text, status } = await at.start(at.world.plants.starts, {});
    at.instanceID = status < 300 ? JSON.parse(text).instanceID : undefined;
  },

  async round(at) {
    const open = [];
    await at.repeat(at.isShort ? 150 : STREAMS, 50, async () => open.push(await openStream(at)));
    await at.hold(HOLD_MS);
    for (const request of open) request.destroy();
  },
};

/** Resolves when the stream has begun or was refused. */
function openStream(at) {
  const { gateway } = at.world;
  const headers = { Authorization: `Bearer ${at.credential}` };
  return new Promise((resolve) => {
    const options = { headers, agent: false, localAddress: at.from, timeout: 30_000 };
    const request = get(`${gateway}/v1/instances/${at.instanceID}/events`, options, (response) => {
      response.on('error', () => {});
      void countOutcome(at, response).finally(() => resolve(request));
    });
    request.on('timeout', () => request.destroy(new Error('timeout')));
    request.on('error', (error) => {
      if (!request.destroyed) at.count(`no answer (${error.code ?? error.message})`);
      resolve(request);
    });
  });
}

/** Counts `stream`, or the name of the refusal. */
async function countOutcome(at, response) {
  if (response.statusCode === 200) {
    response.resume();
    at.count('stream');
  } else {
    at.count(nameOf({ status: response.statusCode, text: await textOf(response).catch(() => '') }));
  }
}
