const CREDENTIAL_COUNT = 20;
const START_COUNT = 200;
const LARGE_BODY = { matrix: { text: 'x'.repeat(1_000_000) } };

export const startsTrick = {
  name: 'starts',
  what: `${START_COUNT} starts at a time, every tenth of 1 MB, over ${CREDENTIAL_COUNT} credentials of one company, into a queue without an agent`,

  async prepare(attacker) {
    attacker.credentials = [attacker.credential];
    await attacker.repeat(CREDENTIAL_COUNT, 4, async (number) => {
      const { status, text } = await attacker.manage('POST', '/credentials', { label: `Another ERP ${number}` });
      if (status === 201) attacker.credentials.push(JSON.parse(text).value);
    });
  },

  async round(attacker) {
    const target = attacker.world.targets.starts;
    await attacker.repeat(attacker.isShort ? 40 : START_COUNT, 40, async (number) => {
      const credential = attacker.credentials[number % attacker.credentials.length];
      await attacker.start(target, number % 10 === 0 ? LARGE_BODY : {}, credential);
    });
  },
};
