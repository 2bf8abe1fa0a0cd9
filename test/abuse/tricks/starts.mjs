const CREDENTIALS = 20;
const STARTS = 200;
const LARGE = { matrix: { text: 'x'.repeat(1_000_000) } };

export const starts = {
  name: 'starts',
  what: `${STARTS} starts at a time, every tenth of 1 MB, over ${CREDENTIALS} credentials of one company, into a queue without an agent`,

  async prepare(at) {
    at.credentials = [at.credential];
    await at.repeat(CREDENTIALS, 4, async (number) => {
      const { status, text } = await at.manage('POST', '/credentials', { label: `Another ERP ${number}` });
      if (status === 201) at.credentials.push(JSON.parse(text).value);
    });
  },

  async round(at) {
    const plant = at.world.plants.starts;
    await at.repeat(at.isShort ? 40 : STARTS, 40, async (number) => {
      const credential = at.credentials[number % at.credentials.length];
      await at.start(plant, number % 10 === 0 ? LARGE : {}, credential);
    });
  },
};
