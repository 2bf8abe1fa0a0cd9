import type { RunDetails, StartedValue, Viewer } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { KeyRing } from '@batuta/secrets';
import { Injectable } from '@nestjs/common';
import { unsealValues, withNullSecrets } from '../instances/kept-values';
import { parseInput, unsealInput } from '../instances/sealed-input';
import { RUN_COLUMNS, toRun, type RunRow } from './run-row';

/** An instance with the values that it started with, for its starter and the owner of its process (interpretation 13). */
@Injectable()
export class RunDetailsService {
  constructor(
    private readonly store: Store,
    private readonly keys: KeyRing,
  ) {}

  /** Throws INSTANCE_NOT_FOUND also when the viewer may not see the instance. */
  async read(instanceID: string, { accountID }: Viewer): Promise<RunDetails> {
    const row = await this.store.row<RunRow>(
      `SELECT ${RUN_COLUMNS} FROM instance WHERE instance_id = ? AND (starter_account_id = ? OR owner_account_id = ?)`,
      [instanceID, accountID, accountID],
    );
    if (!row) throw new ApiError('INSTANCE_NOT_FOUND');
    const [agent, values] = await Promise.all([this.agentOf(instanceID), this.valuesOf(instanceID)]);
    return { run: toRun(row), ...(agent !== undefined && { agent }), values };
  }

  private async agentOf(instanceID: string): Promise<string | undefined> {
    const session = await this.store.row<{ agent_name: string }>(
      'SELECT s.agent_name FROM instance i JOIN agent_session s ON s.session_id = i.session_id WHERE i.instance_id = ?',
      [instanceID],
    );
    return session?.agent_name;
  }

  private async valuesOf(instanceID: string): Promise<StartedValue[] | null> {
    const stored = await this.store.row<{ shown: Buffer | null; input: Buffer | null }>(
      `SELECT (SELECT sealed FROM instance_values WHERE instance_id = ?) AS shown,
              (SELECT sealed FROM instance_input WHERE instance_id = ? AND kept = 1) AS input`,
      [instanceID, instanceID],
    );
    if (stored?.shown) return unsealValues(this.keys, instanceID, stored.shown);
    if (!stored?.input) return null;
    return withNullSecrets(parseInput(unsealInput(this.keys, instanceID, stored.input)).matrix);
  }
}
