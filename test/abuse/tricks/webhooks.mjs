import { ProtocolAgent } from '../protocol-agent.mjs';

const CALL_COUNT = 200;
/** Callers that want to wait: more than may wait for one process (50). The others are answered at once. */
const WAITING_COUNT = 70;
const CAPTURE_COUNT = 40;
const WAIT_SECONDS = 5;
/** How long the agent holds an instance, whose caller waits meanwhile. */
const HOLD_DURATION_MS = 1_000;
const LARGE_PAYLOAD = {
  order: { id: 42, lines: Array.from({ length: 500 }, (_, sku) => ({ sku, text: 'x'.repeat(60) })) },
};

export const webhooksTrick = {
  name: 'webhooks',
  what: `${CALL_COUNT} webhook calls, ${WAITING_COUNT} that wait for their process and ${CAPTURE_COUNT} captures at full rate, every fifth of 40 KB`,

  requiredAnswers: ['200', '202'],

  async prepare(attacker) {
    const target = attacker.world.targets.webhooks;
    attacker.immediate = await makeOrigin(attacker, target, { responseMode: 'Imediata' });
    attacker.waiting = await makeOrigin(attacker, target, { responseMode: 'Aguardar', waitSeconds: WAIT_SECONDS });
    await attacker.manage('POST', `/processes/${target.processID}/publish`);
  },

  async round(attacker) {
    const agent = await ProtocolAgent.connect(attacker, attacker.world.targets.webhooks.activationKey);
    agent.accept(async (grant) => {
      await attacker.hold(HOLD_DURATION_MS);
      await agent.end(grant).catch(() => {});
    });
    const few = (count) => (attacker.isShort ? Math.ceil(count / 10) : count);
    const calls = (url, count, width) =>
      attacker.repeat(few(count), width, (number) => callHook(attacker, url, number));
    try {
      await Promise.all([
        calls(attacker.immediate.prodUrl, CALL_COUNT, 20),
        calls(attacker.waiting.prodUrl, WAITING_COUNT, WAITING_COUNT),
        calls(attacker.immediate.devUrl, CAPTURE_COUNT, 8),
      ]);
    } finally {
      agent.close();
    }
  },
};

async function makeOrigin(attacker, { processID }, settings) {
  const { text } = await attacker.manage('POST', `/processes/${processID}/origins`, { name: 'Shop', ...settings });
  return JSON.parse(text);
}

function callHook(attacker, url, number) {
  return attacker.send('POST', url, { body: number % 5 === 0 ? LARGE_PAYLOAD : { order: { id: number } } });
}
