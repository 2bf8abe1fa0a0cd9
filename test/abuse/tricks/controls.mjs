import { ProtocolAgent } from '../protocol-agent.mjs';

const INSTANCE_COUNT = 30;
const AGENT_CAPACITY = 10;
const COMMAND_COUNT = 300;
const COMMANDS_AT_ONCE = 60;
const ACTIONS = ['pause', 'resume', 'stop'];
const GRANT_TIME_LIMIT_MS = 10_000;

export const controlsTrick = {
  name: 'controls',
  what: `${COMMAND_COUNT} commands pause, resume and stop, ${COMMANDS_AT_ONCE} at once over both APIs, for ${INSTANCE_COUNT} own instances of which ${AGENT_CAPACITY} run; then one fails and cancels the queue`,

  requiredAnswers: ['202', '200'],

  async round(attacker) {
    const target = attacker.world.targets.controls;
    const ids = [];
    await attacker.repeat(attacker.isShort ? 12 : INSTANCE_COUNT, 6, async () => {
      const { status, text } = await attacker.start(target, {});
      if (status < 300) ids.push(JSON.parse(text).instanceID);
    });
    const agent = await ProtocolAgent.connect(attacker, target.activationKey, { capacity: AGENT_CAPACITY });
    try {
      const granted = new Promise((resolve, reject) => {
        agent.accept(resolve);
        setTimeout(() => reject(new Error('nothing was granted')), GRANT_TIME_LIMIT_MS).unref();
      });
      const failing = await Promise.race([granted, agent.failure]);
      await attacker.repeat(attacker.isShort ? 36 : COMMAND_COUNT, COMMANDS_AT_ONCE, async (number) => {
        const path = `/instances/${ids[number % ids.length]}/${ACTIONS[Math.floor(number / ids.length) % 3]}`;
        await (number % 2 === 0 ? attacker.api('POST', path) : attacker.manage('POST', path));
      });
      await agent.end(failing, 'ERROR');
    } finally {
      agent.close();
    }
  },
};
