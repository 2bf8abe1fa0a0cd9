import type { ReportResponse } from '@batuta/agent-protocol';
import type { Store } from '@batuta/database';
import { KeyRing } from '@batuta/secrets';
import { Injectable } from '@nestjs/common';
import { FlowCache, type FlowContent } from '../flows/flow-cache';
import { unsealVault, type SealedValue } from '../flows/vault';
import type { InstanceRow } from '../instances/instance-row';
import { parseInput, unsealInput } from '../instances/sealed-input';
import { writeInstanceAnswers, type InstanceAnswer } from './answer.repository';
import { shownBody, type AnswerSecrets } from './shown-body';
import { validateAnswer } from './validate-answer';

/**
 * Maximum bytes of an instance's sealed input that is searched for secrets to mask in the answer. Above it, only the
 * agent's masked copy hides them.
 */
export const MAX_SEARCHED_INPUT_BYTES = 64 * 1024;
/** Maximum vault keys of a flow. With more, the service searches for no secret of the instance, as with too large an input. */
const MAX_VAULT_KEYS = 20;
/**
 * Maximum total length of the secrets that the service masks in an answer. It bounds the time for making all their
 * encoded forms to milliseconds.
 */
const MAX_SECRET_CHARACTERS = 5_000;
const SECRETS_NOT_SEARCHABLE: AnswerSecrets = { values: undefined, hasSensitiveRows: true };

/** Records the answers of processes. The real body is for the waiting caller only (interpretation 48). */
@Injectable()
export class AnswerService {
  constructor(
    private readonly keys: KeyRing,
    private readonly flows: FlowCache,
  ) {}

  /** Validates the first answer of an instance, and masks the secrets in the body that is shown. */
  toInstanceAnswer(
    instanceID: string,
    response: ReportResponse,
    secrets: AnswerSecrets = SECRETS_NOT_SEARCHABLE,
  ): InstanceAnswer {
    const validated = validateAnswer(response);
    const { answer } = validated;
    return { instanceID, ...validated, shown: answer.valid ? shownBody(answer.body, response.masked, secrets) : '' };
  }

  /** Writes answers with the commit. */
  write(tx: Store, answers: InstanceAnswer[]): void {
    writeInstanceAnswers(tx, this.keys, answers);
  }

  /**
   * Reads the secrets of instances, as far as this service can: their values of type Secreto, and the vault values that their flows read.
   * `inputs` has the sealed inputs by instance id; null means that an input is larger than MAX_SEARCHED_INPUT_BYTES. The result is by instance
   * id; its `values` is undefined for an instance whose secrets cannot be searched for: its input or its secrets are too large or cannot be
   * unsealed, or its flow reads too many vault keys.
   */
  async readSecrets(
    tx: Store,
    rows: InstanceRow[],
    inputs: ReadonlyMap<string, Buffer | null>,
  ): Promise<Map<string, AnswerSecrets>> {
    if (rows.length === 0) return new Map();
    const flows = await this.flows.pickFromAll(
      tx,
      rows.map((row) => row.version_id),
      ({ vaultKeys, hasSensitiveRows }) => ({ vaultKeys, hasSensitiveRows }),
    );
    const vaults = await Promise.all(rows.map((row) => readVault(tx, row, flows.get(row.version_id))));
    return new Map(
      rows.map((row, index) => {
        const hasSensitiveRows = flows.get(row.version_id)?.hasSensitiveRows === true;
        const values = this.secretValuesOf(row, inputs.get(row.instance_id), vaults[index]);
        return [row.instance_id, { values, hasSensitiveRows }];
      }),
    );
  }

  /** The secret values of an instance; undefined when they cannot be unsealed, or are too large to search for. */
  private secretValuesOf(
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
      return characters > MAX_SECRET_CHARACTERS ? undefined : values;
    } catch {
      return undefined;
    }
  }
}

/**
 * Reads the vault values of an instance, also of keys that its process may no longer use, because the agent already has
 * their values. Undefined when there are too many.
 */
async function readVault(
  tx: Store,
  row: InstanceRow,
  content: Pick<FlowContent, 'vaultKeys'> | undefined,
): Promise<SealedValue[] | undefined> {
  const vaultKeys = content?.vaultKeys ?? [];
  if (vaultKeys.length > MAX_VAULT_KEYS) return undefined;
  if (vaultKeys.length === 0) return [];
  return tx.rows<SealedValue>('SELECT vault_key, sealed FROM vault_secret WHERE account_id = ? AND vault_key IN (?)', [
    row.owner_account_id,
    vaultKeys,
  ]);
}
