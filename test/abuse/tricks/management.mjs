import { ACCOUNTS } from '../world.mjs';

const CALL_COUNT = 200;

export const managementTrick = {
  name: 'management',
  what: `${CALL_COUNT} calls of the management API at full rate with one session`,

  async round(attacker) {
    const paths = ['/processes?limit=500', '/environments?limit=500', '/credentials?limit=500', '/accounts', '/vault'];
    await attacker.repeat(attacker.isShort ? 60 : CALL_COUNT, 20, (number) =>
      attacker.manage('GET', paths[number % paths.length], undefined, ACCOUNTS.reader),
    );
  },
};
