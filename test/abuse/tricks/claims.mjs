import { ProtocolAgent } from '../protocol-agent.mjs';

const STARTS = 60;
const CAPACITY = 50;
/** `[{},{},…]`: three bytes each in JSON, sixty and more as parsed values. */
const list = (objects) => `{"matrix":{"list":[${'{},'.repeat(objects - 1)}{}]}}`;
const LIST = list(345_000);
/** A company may send several of these in a short time. */
const SHORT_LIST = list(60_000);
const OFFERS_MS = 4_000;

export const claims = {
  name: 'claims',
  what: `${STARTS} queued starts of 1 MB [{},{},…], claimed by an agent with room for ${CAPACITY}, accepted, run and ended`,

  some: ['202', 'offer'],

  async round(attacker) {
    const target = attacker.world.targets.claims;
    const body = attacker.isShort ? SHORT_LIST : LIST;
    await attacker.repeat(attacker.isShort ? 8 : STARTS, 6, () => attacker.start(target, body));
    const agent = await ProtocolAgent.connect(attacker, target.activationKey, { capacity: CAPACITY });
    try {
      const first = new Promise((resolve) => agent.events.once('offer', resolve));
      // It keeps the first offers for a moment, so that as many as it has room for are in flight.
      agent.events.on('offer', () => attacker.count('offer'));
      if (attacker.isShort) await first;
      await attacker.hold(OFFERS_MS);
      agent.accept((grant) => agent.end(grant).catch(() => {}));
      await attacker.hold(OFFERS_MS);
    } finally {
      agent.close();
    }
  },
};
