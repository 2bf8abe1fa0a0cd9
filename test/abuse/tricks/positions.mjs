import { ACCOUNTS } from '../world.mjs';
import { openStream } from './streams.mjs';

/** The number of event streams that one account may have open. */
const STREAM_COUNT = 100;
const READ_COUNT = 300;
const HOLD_DURATION_MS = 5_000;

export const positionsTrick = {
  name: 'positions',
  what: `a long queue: ${STREAM_COUNT} event streams and ${READ_COUNT} reads at full rate of its last instances, each of which counts those before it`,

  requiredAnswers: ['stream', '200'],

  async prepare(attacker) {
    const { processID } = attacker.world.targets.positions;
    const { status, text } = await attacker.manage(
      'GET',
      `/processes/${processID}/instances?limit=100`,
      undefined,
      ACCOUNTS.queuer,
    );
    if (status === 200) attacker.ids = JSON.parse(text).instances.map(({ instanceID }) => instanceID);
  },

  async round(attacker) {
    const { credential } = attacker.world.tenant.accounts[ACCOUNTS.queuer];
    const idOf = (number) => attacker.ids[number % attacker.ids.length];
    const open = [];
    try {
      await attacker.repeat(attacker.isShort ? 20 : STREAM_COUNT, 20, async (number) =>
        open.push(await openStream(attacker, idOf(number), credential)),
      );
      const reading = attacker.repeat(attacker.isShort ? 20 : READ_COUNT, 40, (number) =>
        attacker.api('GET', `/instances/${idOf(number)}`, { credential }),
      );
      await Promise.all([reading, attacker.hold(HOLD_DURATION_MS)]);
    } finally {
      for (const request of open) request.destroy();
    }
  },
};
