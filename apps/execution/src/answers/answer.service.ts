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
 * Maximum bytes of an instance's sealed input that is searched for secrets to mask in the answer. Above it, the service
 * relies on the agent's masked copy alone.
 */
export const MAX_SEARCHED_INPUT_BYTES = 64 * 1024;
/**
 * Maximum vault keys of a flow whose values are searched for. With more, the service searches for no secret of the instance,
 * as with too large an input.
 */
const MAX_VAULT_KEYS = 20;
/**
 * Maximum total length of the secrets of an instance; of longer ones the service masks none. It bounds the time for making
 * all their encoded forms to milliseconds.
 */
const MAX_SECRET_CHARACTERS = 5_000;
const SECRETS_NOT_SEARCHABLE: AnswerSecrets = { values: undefined, agentMayHaveMore: true };

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
      ({ vaultKeys, hasSensitiveValues }) => ({ vaultKeys, hasSensitiveValues }),
    );
    const vaults = await Promise.all(rows.map((row) => readVault(tx, row, flows.get(row.version_id))));
    return new Map(
      rows.map((row, index) => {
        const [flow, vault] = [flows.get(row.version_id), vaults[index]];
        // The flow is unknown once its process was deleted.
        const agentMayHaveMore = flow === undefined || flow.hasSensitiveValues || !isUnchanged(vault, flow.vaultKeys);
        const values = this.secretValuesOf(row, inputs.get(row.instance_id), vault);
        return [row.instance_id, { values, agentMayHaveMore }];
      }),
    );
  }

  /** The secret values of an instance; undefined when they cannot be unsealed, or are too many or too large to search for. */
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

/** A value of the vault; `unchanged` = 1 if it was stored before the instance was claimed, so that the agent has the same value. */
type AnswerVaultValue = SealedValue & { unchanged: number };

/** A value that was stored this short a time before the claim may be later than the one that the claim read. Clocks of services differ, too. */
const CLAIM_MARGIN_SECONDS = 60;

/**
 * Reads the vault values of an instance as they are now, also of keys that its process may no longer use, because the agent already has
 * their values. Undefined when there are too many.
 */
async function readVault(
  tx: Store,
  row: InstanceRow,
  content: Pick<FlowContent, 'vaultKeys'> | undefined,
): Promise<AnswerVaultValue[] | undefined> {
  const vaultKeys = content?.vaultKeys ?? [];
  if (vaultKeys.length > MAX_VAULT_KEYS) return undefined;
  if (vaultKeys.length === 0) return [];
  return tx.rows<AnswerVaultValue>(
    `SELECT v.vault_key, v.sealed, v.updated_at < i.claimed_at - INTERVAL ${CLAIM_MARGIN_SECONDS} SECOND AS unchanged
       FROM instance i JOIN vault_secret v ON v.account_id = i.owner_account_id
      WHERE i.instance_id = ? AND v.vault_key IN (?)`,
    [row.instance_id, vaultKeys],
  );
}

/** Whether these are certainly the values that the agent got; a key that the vault lacks may have been removed since. */
function isUnchanged(values: AnswerVaultValue[] | undefined, vaultKeys: string[]): boolean {
  return values?.length === vaultKeys.length && values.every(({ unchanged }) => unchanged === 1);
}
