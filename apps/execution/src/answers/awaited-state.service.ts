import { ABILITY_WEBHOOK_RESPONSE } from '@batuta/agent-protocol';
import type { AwaitedState, InstanceStatus, Outcome } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { KeyRing } from '@batuta/secrets';
import { Injectable } from '@nestjs/common';
import { FlowCache } from '../flows/flow-cache';
import { answersOf } from './answer.repository';

/**
 * Maximum bytes of answers in one reply. A message may have 8 MB, and each quotation mark and backslash of an answer
 * takes two bytes in JSON.
 */
const MAX_ANSWERS_BYTES = 3 * 1024 * 1024;

interface AwaitedRow {
  instance_id: string;
  status: InstanceStatus;
  outcome: Outcome | null;
  version_id: string;
  abilities: string | null;
  /** Bytes of the recorded answer; null when there is none. */
  answer_bytes: number | null;
}

/** Tells gateways the states of instances whose callers wait for an answer (contract 3.3, interpretation 30). */
@Injectable()
export class AwaitedStateService {
  constructor(
    private readonly store: Store,
    private readonly flows: FlowCache,
    private readonly keys: KeyRing,
  ) {}

  /** Leaves out instances that do not exist, and those whose answers do not fit into the reply; the gateway asks again for them. */
  async states(instanceIDs: string[]): Promise<AwaitedState[]> {
    if (instanceIDs.length === 0) return [];
    const rows = await this.store.rows<AwaitedRow>(
      `SELECT i.instance_id, i.status, i.outcome, i.version_id, s.abilities,
              IF(a.instance_id IS NULL, NULL, COALESCE(LENGTH(a.body), LENGTH(x.sealed), 0)) AS answer_bytes
         FROM instance i
         LEFT JOIN instance_answer a ON a.instance_id = i.instance_id
         LEFT JOIN instance_secret_answer x ON x.instance_id = a.instance_id
         LEFT JOIN agent_session s ON s.session_id = i.session_id
        WHERE i.instance_id IN (?)`,
      [instanceIDs],
    );
    const fitting = rowsThatFit(rows);
    const answered = fitting.filter((row) => row.answer_bytes !== null);
    const [answers, mute] = await Promise.all([
      answersOf(
        this.store,
        this.keys,
        answered.map((row) => row.instance_id),
      ),
      this.findEndedUnanswerable(fitting),
    ]);
    return fitting.map(({ instance_id: instanceID, status, outcome }) => {
      const answer = answers.get(instanceID);
      return { instanceID, status, outcome, ...(answer && { answer }), ...(mute.has(instanceID) && { mute: true }) };
    });
  }

  /**
   * Ids of instances that ended without an answer because their agent does not support response steps (contract 4.17).
   */
  private async findEndedUnanswerable(rows: AwaitedRow[]): Promise<Set<string>> {
    const candidates = rows.filter(
      (row) => row.outcome !== null && row.answer_bytes === null && row.abilities !== null && !canAnswer(row.abilities),
    );
    const responding = await this.respondingVersions(candidates.map((row) => row.version_id));
    return new Set(candidates.filter((row) => responding.has(row.version_id)).map((row) => row.instance_id));
  }

  private async respondingVersions(versionIDs: string[]): Promise<Set<string>> {
    const responses = await this.flows.pickFromAll(this.store, versionIDs, ({ responds }) => responds);
    return new Set([...responses].flatMap(([id, responds]) => (responds ? [id] : [])));
  }
}

/** The rows without an answer, and the first rows with an answer, up to the size of one reply. */
function rowsThatFit(rows: AwaitedRow[]): AwaitedRow[] {
  let total = 0;
  return rows.filter(({ answer_bytes: bytes }) => {
    total += bytes ?? 0;
    return bytes === null || total <= MAX_ANSWERS_BYTES;
  });
}

/** `abilities` = JSON list of the abilities in the agent's `hello` frame. */
function canAnswer(abilities: string): boolean {
  const known: unknown = JSON.parse(abilities);
  return Array.isArray(known) && known.includes(ABILITY_WEBHOOK_RESPONSE);
}
