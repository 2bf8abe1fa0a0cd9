import { ACCOUNTS, ONE_STEP_FLOW } from '../world.mjs';

const WRITE_COUNT = 200;
const WRITES_AT_ONCE = 30;
const VAULT_KEY_COUNT = 5;

export const writesTrick = {
  name: 'writes',
  what: `${WRITE_COUNT} changes of the vault, flows, versions, processes and schedules, ${WRITES_AT_ONCE} at once, by ${ACCOUNTS.writers.length} accounts`,

  requiredAnswers: ['200', '201'],

  async prepare(attacker) {
    attacker.writers = [];
    for (const account of ACCOUNTS.writers) {
      const { processID } = attacker.world.targets[`writes ${account}`];
      const schedule = { name: 'Yearly', cronExpression: '0 8 29 2 *', active: false };
      const { text } = await attacker.manage('POST', `/processes/${processID}/schedules`, schedule, account);
      attacker.writers.push({ account, processID, scheduleID: JSON.parse(text).id });
    }
  },

  async round(attacker) {
    const { writers } = attacker;
    await attacker.repeat(attacker.isShort ? 30 : WRITE_COUNT, WRITES_AT_ONCE, (number) => {
      const { account, ...own } = writers[number % writers.length];
      const writes = writesOf(own, number);
      const [method, path, body] = writes[Math.floor(number / writers.length) % writes.length];
      return attacker.manage(method, path, body, account);
    });
  },
};

function writesOf({ processID, scheduleID }, number) {
  return [
    ['PUT', `/vault/KEY_${number % VAULT_KEY_COUNT}`, { value: 'x'.repeat(1_000) }],
    ['PUT', `/processes/${processID}/flow`, ONE_STEP_FLOW],
    ['POST', `/processes/${processID}/publish`],
    ['PATCH', `/processes/${processID}`, { description: `Change ${number}` }],
    ['PATCH', `/schedules/${scheduleID}`, { name: `Yearly ${number}` }],
    ['PUT', `/schedules/${scheduleID}/active`, { active: number % 2 === 0 }],
  ];
}
