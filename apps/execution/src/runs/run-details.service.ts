import type { RunDetails, Viewer } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { KeyRing } from '@batuta/secrets';
import { LOGGER, type Logger } from '@batuta/observability';
import { Inject, Injectable } from '@nestjs/common';
import { instanceNotFound } from '../instances/instance-not-found';
import { unsealValues, withNullSecrets } from '../instances/kept-values';
import { parseInput, unsealInput } from '../instances/sealed-input';
import { RUN_COLUMNS, toRun, type RunRow } from './run-row';

type ReadValues = Pick<RunDetails, 'values' | 'valuesUnreadable'>;

/** The values of an instance as they are stored; at most one of the two. */
interface StoredValues {
  shown: Buffer | null;
  input: Buffer | null;
}

/** An instance with the values that it started with, for its starter and the owner of its process (interpretation 13). */
@Injectable()
export class RunDetailsService {
  constructor(
    private readonly store: Store,
    private readonly keys: KeyRing,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Throws INSTANCE_NOT_FOUND also when the viewer may not see the instance. */
  async read(instanceID: string, { accountID }: Viewer): Promise<RunDetails> {
    const row = await this.store.row<RunRow>(
      `SELECT ${RUN_COLUMNS} FROM instance WHERE instance_id = ? AND (starter_account_id = ? OR owner_account_id = ?)`,
      [instanceID, accountID, accountID],
    );
    if (!row) throw instanceNotFound();
    const [agent, values] = await Promise.all([this.agentOf(instanceID), this.valuesOf(instanceID)]);
    return { run: toRun(row), ...(agent !== undefined && { agent }), ...values };
  }

  /** The agent of the instance's session; undefined in the queue, after an end there, and once the row of the session was deleted. */
  private async agentOf(instanceID: string): Promise<string | undefined> {
    const session = await this.store.row<{ agent_name: string }>(
      'SELECT s.agent_name FROM instance i JOIN agent_session s ON s.session_id = i.session_id WHERE i.instance_id = ?',
      [instanceID],
    );
    return session?.agent_name;
  }

  /** Values that cannot be unsealed do not hide the rest of the instance. */
  private async valuesOf(instanceID: string): Promise<ReadValues> {
    const stored = await this.store.row<StoredValues>(
      `SELECT (SELECT sealed FROM instance_values WHERE instance_id = ?) AS shown,
              (SELECT sealed FROM instance_input WHERE instance_id = ? AND kept = 1) AS input`,
      [instanceID, instanceID],
    );
    try {
      return { values: stored ? this.openStored(instanceID, stored) : null };
    } catch (error) {
      this.logger.warn({ err: error, instanceID }, 'the kept values of an instance cannot be unsealed');
      return { values: null, valuesUnreadable: true };
    }
  }

  private openStored(instanceID: string, { shown, input }: StoredValues): RunDetails['values'] {
    if (shown) return unsealValues(this.keys, instanceID, shown);
    if (!input) return null;
    return withNullSecrets(parseInput(unsealInput(this.keys, instanceID, input)).matrix);
  }
}
