const LARGE_VALUES = { text: 'v'.repeat(1_000_000) };
const EVERY_MINUTE = '* * * * *';
const FIRING_CHECK_INTERVAL_MS = 5_000;

export const firingTrick = {
  name: 'firing',
  what: '150 schedules with values of 1 MB that all fire each minute',
  isLong: true,

  async prepare(attacker) {
    const target = attacker.world.targets.firing;
    await attacker.api('POST', '/schedules', {
      target,
      body: { processID: target.processID, name: 'Often', cronExpression: EVERY_MINUTE, matrix: LARGE_VALUES },
    });
  },

  async round(attacker) {
    await attacker.hold(FIRING_CHECK_INTERVAL_MS);
  },
};
