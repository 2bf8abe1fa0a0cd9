import { ProtocolAgent } from '../protocol-agent.mjs';

const LINES = 1_000;
const LINES_PER_REPORT = 250;
/** The program copies them, so that there are 210. */
const EVIDENCES = 7;
const READERS = 4;

export const logs = {
  name: 'logs',
  what: `${LINES} log lines of 16 KB and 210 of 1 MB evidence, written by an agent, read and streamed ${READERS} times at once`,

  some: ['report stored', '200'],

  async prepare(attacker) {
    const target = attacker.world.targets.logs;
    const agent = await ProtocolAgent.connect(attacker, target.activationKey);
    try {
      attacker.large = await runInstance(attacker, agent, target, {
        count: LINES,
        each: LINES_PER_REPORT,
        line: largeLine,
      });
      attacker.evidence = await runInstance(attacker, agent, target, {
        count: EVIDENCES,
        each: EVIDENCES,
        line: evidenceLine,
      });
    } finally {
      agent.close();
    }
  },

  async round(attacker) {
    const ids = [attacker.large, attacker.evidence].filter(Boolean);
    await Promise.all(
      Array.from({ length: attacker.isShort ? 2 : READERS }, async () => {
        for (const id of ids) {
          await attacker.api('GET', `/instances/${id}/logs?limit=1000`);
          await attacker.manage('GET', `/instances/${id}/logs?limit=1000`);
          await attacker.api('GET', `/instances/${id}/events`);
        }
      }),
    );
    if (attacker.isShort) await readAll(attacker);
  },
};

/** A log of large lines can be read to its first line, page by page, the newest page first. */
async function readAll(attacker) {
  let read = 0;
  for (let query = '?limit=1000'; query;) {
    const { status, text } = await attacker.api('GET', `/instances/${attacker.large}/logs${query}`);
    if (status !== 200) {
      attacker.faults.push(`a log of ${LINES} lines of 16 KB was answered ${status}`);
      return;
    }
    const { logs: lines, older } = JSON.parse(text);
    read += lines.length;
    query = older && `?limit=1000&before=${older.before}`;
  }
  if (read !== LINES) attacker.faults.push(`only ${read} of ${LINES} large lines could be read`);
}

/** Starts an instance and reports its lines; returns its id once it has ended or a report was refused. */
async function runInstance(attacker, agent, target, { count, each, line }) {
  const granted = new Promise((resolve) => agent.accept(resolve));
  const { text, status } = await attacker.start(target, {});
  if (status > 299) return undefined;
  const instance = await Promise.race([granted, failed(agent)]);
  for (let sent = 0; sent < count; sent += each) {
    const { accepted } = await agent.report(instance, { lines: Array.from({ length: each }, line) });
    attacker.count(accepted ? 'report stored' : 'report refused');
    if (!accepted) break;
  }
  await agent.end(instance);
  agent.events.removeAllListeners('offer').removeAllListeners('grant');
  return JSON.parse(text).instanceID;
}

function failed(agent) {
  return new Promise((_, reject) => agent.events.once('error', reject));
}

const usual = () => ({ timestamp: new Date().toISOString(), severity: 'INFO', stepID: 'Only step', evidence: null });
const largeLine = () => ({ ...usual(), message: 'é'.repeat(8_000).padEnd(16_000, 'x') });
const evidenceLine = () => ({ ...usual(), message: 'a picture', evidence: 'e'.repeat(1_000_000) });
