import type { ReportResponse } from '@batuta/agent-protocol';
import type { Store } from '@batuta/database';
import { KeyRing } from '@batuta/secrets';
import { Injectable } from '@nestjs/common';
import { FlowCache, type FlowContent } from '../flows/flow-cache';
import { unsealVault, type SealedValue } from '../flows/vault';
import type { InstanceRow } from '../instances/instance-row';
import { parseInput, unsealInput } from '../instances/sealed-input';
import { writeAnswer } from './answer.repository';
import { shownBody, type AnswerSecrets } from './shown-body';
import { validateAnswer, type Answer } from './validate-answer';

/** Larger sealed inputs are not read. Only the agent's masked copy then hides their secrets. */
export const MAX_INPUT_BYTES = 64 * 1024;
const MAX_VAULT_KEYS = 20;
/** Characters of secrets that the service searches an answer for: it makes all their forms within milliseconds. */
const MAX_CHARACTERS = 5_000;
const UNKNOWN_SECRETS: AnswerSecrets = { values: undefined, hasSensitiveRows: true };

/** Records the answers of processes. The real body is for the waiting caller only (interpretation 48). */
@Injectable()
export class AnswerService {
  constructor(
    private readonly keys: KeyRing,
    private readonly flows: FlowCache,
  ) {}

  /** Validates the first answer of an instance and writes it with the commit. */
  record(tx: Store, instanceID: string, response: ReportResponse, secrets: AnswerSecrets = UNKNOWN_SECRETS): Answer {
    const answer = validateAnswer(response);
    const shown = answer.valid ? shownBody(answer.body, response.masked, secrets) : '';
    writeAnswer(tx, this.keys, instanceID, answer, shown);
    return answer;
  }

  /**
   * The secrets that the service knows of instances: values of type Secreto, and the vault values of the flow. `inputs` = the
   * sealed inputs by instance id; null = above MAX_INPUT_BYTES. The result is by instance id.
   */
  async readSecrets(
    tx: Store,
    rows: InstanceRow[],
    inputs: ReadonlyMap<string, Buffer | null>,
  ): Promise<Map<string, AnswerSecrets>> {
    if (rows.length === 0) return new Map();
    const flows = await this.flows.load(
      tx,
      rows.map((row) => row.version_id),
    );
    const vaults = await Promise.all(rows.map((row) => readVault(tx, row, flows.get(row.version_id))));
    return new Map(
      rows.map((row, index) => {
        const hasSensitiveRows = flows.get(row.version_id)?.hasSensitiveRows === true;
        const values = this.valuesOf(row, inputs.get(row.instance_id), vaults[index]);
        return [row.instance_id, { values, hasSensitiveRows }];
      }),
    );
  }

  /** Undefined when they cannot be unsealed, or are too large to be searched for. */
  private valuesOf(
    row: InstanceRow,
    input: Buffer | null | undefined,
    vault: SealedValue[] | undefined,
  ): unknown[] | undefined {
    if (input === null || !vault) return undefined;
    try {
      const secretos = input ? parseInput(unsealInput(this.keys, row.instance_id, input)).matrix : [];
      const values = [
        ...secretos.flatMap(({ type, value }) => (type === 'Secreto' ? [value] : [])),
        ...Object.values(unsealVault(this.keys, row.owner_account_id, vault)),
      ];
      const characters = values.reduce<number>((sum, value) => sum + String(value).length, 0);
      return characters > MAX_CHARACTERS ? undefined : values;
    } catch {
      return undefined;
    }
  }
}

/** Whether the process may still use the keys does not count: their values were handed out. Undefined = too many. */
async function readVault(
  tx: Store,
  row: InstanceRow,
  content: FlowContent | undefined,
): Promise<SealedValue[] | undefined> {
  const vaultKeys = content?.vaultKeys ?? [];
  if (vaultKeys.length > MAX_VAULT_KEYS) return undefined;
  if (vaultKeys.length === 0) return [];
  return tx.rows<SealedValue>('SELECT vault_key, sealed FROM vault_secret WHERE account_id = ? AND vault_key IN (?)', [
    row.owner_account_id,
    vaultKeys,
  ]);
}
