import { get } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { answerName } from '../http-client.mjs';

const STREAM_COUNT = 1_100;
const HOLD_DURATION_MS = 5_000;

export const streamsTrick = {
  name: 'streams',
  what: `${STREAM_COUNT} event streams of one account, each held for ${HOLD_DURATION_MS / 1_000} s`,

  requiredAnswers: ['stream', '429 RATE_LIMITED'],
  forbiddenAnswers: ['503 UNAVAILABLE'],

  async prepare(attacker) {
    const { text, status } = await attacker.start(attacker.world.targets.starts, {});
    attacker.instanceID = status < 300 ? JSON.parse(text).instanceID : undefined;
  },

  async round(attacker) {
    const open = [];
    await attacker.repeat(attacker.isShort ? 150 : STREAM_COUNT, 50, async () =>
      open.push(await openStream(attacker, attacker.instanceID, attacker.credential)),
    );
    await attacker.hold(HOLD_DURATION_MS);
    for (const request of open) request.destroy();
  },
};

/** Opens an event stream of an instance; resolves to its request when it has begun or was refused. */
export function openStream(attacker, instanceID, credential) {
  const { gateway } = attacker.world;
  const headers = { Authorization: `Bearer ${credential}` };
  return new Promise((resolve) => {
    const options = { headers, agent: false, localAddress: attacker.from, timeout: 30_000 };
    const request = get(`${gateway}/v1/instances/${instanceID}/events`, options, (response) => {
      response.on('error', () => {});
      void countOutcome(attacker, response).finally(() => resolve(request));
    });
    request.on('timeout', () => request.destroy(new Error('timeout')));
    request.on('error', (error) => {
      if (!request.destroyed) attacker.count(`no answer (${error.code ?? error.message})`);
      resolve(request);
    });
  });
}

/** Counts `stream`, or the name of the refusal. */
async function countOutcome(attacker, response) {
  if (response.statusCode === 200) {
    response.resume();
    attacker.count('stream');
  } else {
    attacker.count(answerName({ status: response.statusCode, text: await textOf(response).catch(() => '') }));
  }
}
