const VALUES = { text: 'v'.repeat(1_000_000) };
const EVERY_MINUTE = '* * * * *';
const CHECK_MS = 5_000;

export const firing = {
  name: 'firing',
  what: '150 schedules with values of 1 MB that all fire each minute',
  isLong: true,

  async prepare(at) {
    const plant = at.world.plants.firing;
    await at.api('POST', '/schedules', {
      plant,
      body: { processID: plant.processID, name: 'Often', cronExpression: EVERY_MINUTE, matrix: VALUES },
    });
  },

  async round(at) {
    await at.hold(CHECK_MS);
  },
};
