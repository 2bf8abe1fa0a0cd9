/** A short attack makes them all; for a long one the program copies the first. */
const SHORT_SCHEDULES = 60;
const VALUES = { text: 'v'.repeat(100_000) };
const READERS = 4;

export const lists = {
  name: 'lists',
  what: `500 schedules with values of 100 KB, all listed by ${READERS} callers at once`,

  some: ['201', '200'],

  async prepare(at) {
    const plant = at.world.plants.starts;
    let refused = false;
    await at.repeat(at.isShort ? SHORT_SCHEDULES : 1, 8, async (number) => {
      if (refused) return;
      const body = {
        processID: plant.processID,
        name: `Yearly ${number}`,
        cronExpression: '0 8 29 2 *',
        matrix: VALUES,
      };
      const { status } = await at.api('POST', '/schedules', { plant, body });
      refused ||= status === 409;
    });
  },

  async round(at) {
    const { processID } = at.world.plants.starts;
    await Promise.all(
      Array.from({ length: READERS }, async () => {
        await listAll(at, (query) => at.api('GET', `/schedules${query}`));
        await listAll(at, (query) => at.manage('GET', `/processes/${processID}/schedules${query}`));
      }),
    );
  },
};

/** Reads the list page by page. */
async function listAll(at, read) {
  for (let query = ''; query !== undefined && !at.signal.aborted;) {
    const { status, text } = await read(query);
    const { newer } = status === 200 ? JSON.parse(text) : {};
    query = newer && `?after=${newer.after}`;
  }
}
