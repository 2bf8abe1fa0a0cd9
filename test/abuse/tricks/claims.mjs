import { ProtocolAgent } from '../protocol-agent.mjs';

const START_COUNT = 60;
const AGENT_CAPACITY = 50;
/** A body with the list `[{},{},…]`, of which each item takes three bytes in JSON, and sixty or more as a parsed value. */
const bodyWithList = (objects) => `{"matrix":{"list":[${'{},'.repeat(objects - 1)}{}]}}`;
const LARGE_LIST_BODY = bodyWithList(345_000);
/** A list so short that a company may send several of them in a short time. */
const SHORT_LIST_BODY = bodyWithList(60_000);
/** How long the agent leaves offers unanswered, and how long it then accepts and runs them. */
const HOLD_DURATION_MS = 4_000;

export const claimsTrick = {
  name: 'claims',
  what: `${START_COUNT} queued starts of 1 MB [{},{},…], claimed by an agent with room for ${AGENT_CAPACITY}, accepted, run and ended`,

  requiredAnswers: ['202', 'offer'],

  async round(attacker) {
    const target = attacker.world.targets.claims;
    const body = attacker.isShort ? SHORT_LIST_BODY : LARGE_LIST_BODY;
    await attacker.repeat(attacker.isShort ? 8 : START_COUNT, 6, () => attacker.start(target, body));
    const agent = await ProtocolAgent.connect(attacker, target.activationKey, { capacity: AGENT_CAPACITY });
    try {
      const first = new Promise((resolve) => agent.events.once('offer', resolve));
      // Offers that arrive before `accept` are never answered, so that as many as the agent has room for are in flight; the router
      // withdraws them after five seconds and offers the instances again.
      agent.events.on('offer', () => attacker.count('offer'));
      if (attacker.isShort) await first;
      await attacker.hold(HOLD_DURATION_MS);
      agent.accept((grant) => agent.end(grant).catch(() => {}));
      await attacker.hold(HOLD_DURATION_MS);
    } finally {
      agent.close();
    }
  },
};
