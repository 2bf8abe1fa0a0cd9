const CALLS = 200;
const ACCOUNT = 2;

export const management = {
  name: 'management',
  what: `${CALLS} calls of the management API at full rate with one session`,

  async round(attacker) {
    const paths = ['/processes?limit=500', '/environments?limit=500', '/credentials?limit=500', '/accounts', '/vault'];
    await attacker.repeat(attacker.isShort ? 60 : CALLS, 20, (number) =>
      attacker.manage('GET', paths[number % paths.length], undefined, ACCOUNT),
    );
  },
};
