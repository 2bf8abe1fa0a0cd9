/**
 * Number of schedules that a short attack makes. A long attack makes one, which run.mjs copies in the database until there are 500 (`copySchedules`).
 */
const SHORT_SCHEDULE_COUNT = 60;
const LARGE_VALUES = { text: 'v'.repeat(100_000) };
const READER_COUNT = 4;

export const listsTrick = {
  name: 'lists',
  what: `500 schedules with values of 100 KB, all listed by ${READER_COUNT} callers at once`,

  requiredAnswers: ['201', '200'],

  async prepare(attacker) {
    const target = attacker.world.targets.starts;
    let refused = false;
    await attacker.repeat(attacker.isShort ? SHORT_SCHEDULE_COUNT : 1, 8, async (number) => {
      if (refused) return;
      const body = {
        processID: target.processID,
        name: `Yearly ${number}`,
        cronExpression: '0 8 29 2 *',
        matrix: LARGE_VALUES,
      };
      const { status } = await attacker.api('POST', '/schedules', { target, body });
      refused ||= status === 409;
    });
  },

  async round(attacker) {
    const { processID } = attacker.world.targets.starts;
    await Promise.all(
      Array.from({ length: READER_COUNT }, async () => {
        await listAll(attacker, (query) => attacker.api('GET', `/schedules${query}`));
        await listAll(attacker, (query) => attacker.manage('GET', `/processes/${processID}/schedules${query}`));
      }),
    );
  },
};

/** Reads a whole list page by page. */
async function listAll(attacker, read) {
  for (let query = ''; query !== undefined && !attacker.signal.aborted;) {
    const { status, text } = await read(query);
    const { newer } = status === 200 ? JSON.parse(text) : {};
    query = newer && `?after=${newer.after}`;
  }
}
