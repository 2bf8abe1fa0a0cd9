import { ABILITY_WEBHOOK_RESPONSE, type AwaitedState, type InstanceStatus, type Outcome } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { Injectable } from '@nestjs/common';
import { Flows } from '../delivery/flows';
import { answersOf } from './answer.repository';

interface AwaitedRow {
  instance_id: string;
  status: InstanceStatus;
  outcome: Outcome | null;
  version_id: string;
  abilities: string | null;
  /** Bytes of the recorded answer; null when there is none. */
  answer_bytes: number | null;
}

/** Bytes of answers in one reply: a message of ours has 8 MB at the most. */
const MOST_BYTES = 4 * 1024 * 1024;

/** What gateways ask for callers that wait for the answers of their processes (contract 3.3, interpretation 30). */
@Injectable()
export class AwaitedService {
  constructor(
    private readonly store: Store,
    private readonly flows: Flows,
  ) {}

  /** Answers that do not fit into one reply are left out with their instances: to be asked for again. */
  async states(instanceIDs: string[]): Promise<AwaitedState[]> {
    if (instanceIDs.length === 0) return [];
    const rows = await this.store.rows<AwaitedRow>(
      `SELECT i.instance_id, i.status, i.outcome, i.version_id, s.abilities,
              IF(a.instance_id IS NULL, NULL, COALESCE(LENGTH(a.body), 0)) AS answer_bytes
         FROM instance i
         LEFT JOIN instance_answer a ON a.instance_id = i.instance_id
         LEFT JOIN agent_session s ON s.session_id = i.session_id
        WHERE i.instance_id IN (?)`,
      [instanceIDs],
    );
    const fitting = thatFit(rows);
    const answered = fitting.filter((row) => row.answer_bytes !== null);
    const [answers, mute] = await Promise.all([
      answersOf(
        this.store,
        answered.map((row) => row.instance_id),
      ),
      this.mute(fitting),
    ]);
    return fitting.map(({ instance_id: instanceID, status, outcome }) => {
      const answer = answers.get(instanceID);
      return { instanceID, status, outcome, ...(answer && { answer }), ...(mute.has(instanceID) && { mute: true }) };
    });
  }

  /** Those that ended without an answer because their agent did not know how to give one (contract 4.17). */
  private async mute(rows: AwaitedRow[]): Promise<Set<string>> {
    const doubtful = rows.filter(
      (row) => row.outcome !== null && row.answer_bytes === null && row.abilities !== null && !canAnswer(row.abilities),
    );
    const flows = await this.flows.load(
      this.store,
      doubtful.map((row) => row.version_id),
    );
    return new Set(
      doubtful.filter((row) => flows.get(row.version_id)?.responds === true).map((row) => row.instance_id),
    );
  }
}

function thatFit(rows: AwaitedRow[]): AwaitedRow[] {
  let total = 0;
  return rows.filter(({ answer_bytes: bytes }) => {
    total += bytes ?? 0;
    return bytes === null || total <= MOST_BYTES;
  });
}

/** `abilities` = the JSON list of what the agent said in its `hello`. */
function canAnswer(abilities: string): boolean {
  const known: unknown = JSON.parse(abilities);
  return Array.isArray(known) && known.includes(ABILITY_WEBHOOK_RESPONSE);
}
