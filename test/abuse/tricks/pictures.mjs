import { randomUUID } from 'node:crypto';
import { ProtocolAgent } from '../protocol-agent.mjs';

const CONNECTION_COUNT = 8;
const PARTS_AT_ONCE = 6;
const READER_COUNT = 4;
const PICTURE = Buffer.alloc(5 * 1024 * 1024, 'pixels');
Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]).copy(PICTURE);
const PART_BYTES = 256 * 1024;

export const picturesTrick = {
  name: 'pictures',
  what: `pictures of 5 MB, uploaded over ${CONNECTION_COUNT} connections, ${PARTS_AT_ONCE} parts at once and half of them begun only; ${READER_COUNT} readers of one`,

  requiredAnswers: ['part stored', 'part refused NOT_HELD', '200'],

  async prepare(attacker) {
    const target = attacker.world.targets.pictures;
    attacker.agents = [];
    while (attacker.agents.length < CONNECTION_COUNT) {
      attacker.agents.push(await ProtocolAgent.connect(attacker, target.activationKey));
    }
    const granted = Promise.race(attacker.agents.map((agent) => new Promise((resolve) => agent.accept(resolve))));
    const { text } = await attacker.start(target, {});
    attacker.run = await granted;
    attacker.path = `/instances/${JSON.parse(text).instanceID}/evidence`;
    attacker.kept = randomUUID();
    for (let part = 1; part <= PICTURE.length / PART_BYTES; part += 1) {
      await sendPart(attacker, attacker.agents[0], attacker.run, attacker.kept, part);
    }
  },

  async round(attacker) {
    const { agents, run, path, kept } = attacker;
    const few = attacker.isShort ? 2 : CONNECTION_COUNT;
    const uploads = agents.slice(0, few).map((agent, index) => {
      const id = randomUUID();
      const parts = index % 2 === 0 ? PICTURE.length / PART_BYTES : PARTS_AT_ONCE;
      return attacker.repeat(parts, PARTS_AT_ONCE, (part) => sendPart(attacker, agent, run, id, part + 1));
    });
    const readers = Array.from({ length: attacker.isShort ? 1 : READER_COUNT }, async () => {
      await attacker.api('GET', `${path}/${kept}`);
      await attacker.manage('GET', `${path}/${kept}`);
    });
    const staleFencePart = sendPart(attacker, agents.at(-1), { ...run, fence: run.fence + 1 }, randomUUID(), 1);
    await Promise.all([...uploads, ...readers, staleFencePart]);
  },
};

/** Sends a part and counts what became of it. */
async function sendPart(attacker, agent, { instanceID, fence }, evidenceID, part) {
  const data = PICTURE.toString('base64', (part - 1) * PART_BYTES, part * PART_BYTES);
  const answer = agent.sendPicturePart({
    instanceID,
    fence,
    evidenceID,
    mediaType: 'image/png',
    bytes: PICTURE.length,
    part,
    data,
  });
  const ack = await answer.catch(() => undefined);
  if (!ack) attacker.count('part without an answer');
  else attacker.count(ack.accepted ? 'part stored' : `part refused ${ack.code}`);
}
