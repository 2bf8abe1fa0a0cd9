import { ProtocolAgent } from '../protocol-agent.mjs';

const DELETION_TIME_LIMIT_MS = 30_000;

export const queuesTrick = {
  name: 'queues',
  what: 'one instance fails and cancels the queue behind it (cancelQueueOnException), then the process with all its instances is deleted',

  requiredAnswers: ['failed instance', '200'],

  async round(attacker) {
    // The first round deletes the process, so there is nothing left for another one.
    if (attacker.rounds > 0) return attacker.hold(1_000);
    const target = attacker.world.targets.queues;
    attacker.count(`${attacker.world.queued.queues} queued`);
    const agent = await ProtocolAgent.connect(attacker, target.activationKey, { capacity: 1 });
    try {
      const granted = new Promise((resolve) => agent.accept(resolve));
      await agent.end(await Promise.race([granted, agent.failure]), 'ERROR');
      attacker.count('failed instance');
    } finally {
      agent.close();
    }
    await untilDeleted(attacker, target);
    return undefined;
  },
};

/** Deletes the process as soon as its queue is empty, before which the console answers CONFLICT; gives up after the time limit. */
async function untilDeleted(attacker, { processID }) {
  const deadline = Date.now() + DELETION_TIME_LIMIT_MS;
  while (Date.now() < deadline && !attacker.signal.aborted) {
    const { status } = await attacker.manage('DELETE', `/processes/${processID}`);
    if (status < 300) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
