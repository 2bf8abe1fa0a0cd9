import { setTimeout as sleep } from 'node:timers/promises';
import { evidenceLine, largeLine, writeLog } from '../instance-log.mjs';
import { ProtocolAgent } from '../protocol-agent.mjs';

const LINE_COUNT = 1_000;
const LINES_PER_REPORT = 250;
/** Log lines with evidence that the agent reports; the program copies them, so that there are 210. */
const EVIDENCE_COUNT = 7;
const READER_COUNT = 4;

export const logsTrick = {
  name: 'logs',
  what: `${LINE_COUNT} log lines of 16 KB and 210 of 1 MB evidence, written by an agent, read and streamed ${READER_COUNT} times at once`,

  requiredAnswers: ['report stored', '200'],

  async prepare(attacker) {
    const target = attacker.world.targets.logs;
    const agent = await ProtocolAgent.connect(attacker, target.activationKey);
    try {
      attacker.large = await writeLog(attacker, agent, target, {
        count: LINE_COUNT,
        each: LINES_PER_REPORT,
        line: largeLine,
      });
      attacker.evidence = await writeLog(attacker, agent, target, {
        count: EVIDENCE_COUNT,
        each: EVIDENCE_COUNT,
        line: evidenceLine,
      });
    } finally {
      agent.close();
    }
  },

  async round(attacker) {
    if (attacker.isShort) await readAll(attacker);
    // A company may read one megabyte a second: a short attack streams the smaller log only.
    const ids = (attacker.isShort ? [attacker.evidence] : [attacker.large, attacker.evidence]).filter(Boolean);
    await Promise.all(
      Array.from({ length: attacker.isShort ? 1 : READER_COUNT }, async () => {
        for (const id of ids) {
          await attacker.api('GET', `/instances/${id}/logs?limit=1000`);
          await attacker.manage('GET', `/instances/${id}/logs?limit=1000`);
          await attacker.api('GET', `/instances/${id}/events`);
        }
      }),
    );
  },
};

/** Reads a log of large lines to its first line, page by page, the newest page first. */
async function readAll(attacker) {
  let read = 0;
  for (let query = '?limit=1000'; query;) {
    const { status, text, headers } = await attacker.api('GET', `/instances/${attacker.large}/logs${query}`);
    if (status === 429) {
      await sleep(Number(headers['retry-after']) * 1_000);
      continue;
    }
    if (status !== 200) {
      attacker.faults.push(`a log of ${LINE_COUNT} lines of 16 KB was answered ${status}`);
      return;
    }
    const { logs: lines, older } = JSON.parse(text);
    read += lines.length;
    query = older && `?limit=1000&before=${older.before}`;
  }
  if (read !== LINE_COUNT) attacker.faults.push(`only ${read} of ${LINE_COUNT} large lines could be read`);
}
