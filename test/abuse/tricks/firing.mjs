const LARGE_VALUES = { text: 'v'.repeat(1_000_000) };
const EVERY_MINUTE = '* * * * *';
/** A round only waits, because the schedules fire by themselves. */
const ROUND_MS = 5_000;

export const firingTrick = {
  name: 'firing',
  what: '150 schedules with values of 1 MB that all fire each minute',
  isLong: true,

  /** Makes the first schedule, of which the program makes copies in the database (stored-load.mjs). */
  async prepare(attacker) {
    const target = attacker.world.targets.firing;
    await attacker.api('POST', '/schedules', {
      target,
      body: { processID: target.processID, name: 'Often', cronExpression: EVERY_MINUTE, matrix: LARGE_VALUES },
    });
  },

  async round(attacker) {
    await attacker.hold(ROUND_MS);
  },
};
