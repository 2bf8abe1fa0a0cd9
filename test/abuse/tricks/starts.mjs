const CREDENTIALS = 20;
const STARTS = 200;
const LARGE = { matrix: { text: 'x'.repeat(1_000_000) } };

export const starts = {
  name: 'starts',
  what: `${STARTS} starts at a time, every tenth of 1 MB, over ${CREDENTIALS} credentials of one company, into a queue without an agent`,

  async prepare(attacker) {
    attacker.credentials = [attacker.credential];
    await attacker.repeat(CREDENTIALS, 4, async (number) => {
      const { status, text } = await attacker.manage('POST', '/credentials', { label: `Another ERP ${number}` });
      if (status === 201) attacker.credentials.push(JSON.parse(text).value);
    });
  },

  async round(attacker) {
    const target = attacker.world.targets.starts;
    await attacker.repeat(attacker.isShort ? 40 : STARTS, 40, async (number) => {
      const credential = attacker.credentials[number % attacker.credentials.length];
      await attacker.start(target, number % 10 === 0 ? LARGE : {}, credential);
    });
  },
};
