import { execution, type RunDetails, type StartedValue } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import { Injectable } from '@nestjs/common';
import { EnvironmentService } from '../environments/environment.service';
import { MatrixService } from '../matrix/matrix.service';
import type { CompanyCaller } from '../sessions/caller';

/** Reads an instance with its values, and computes the values of a further run, which the controller starts. */
@Injectable()
export class RerunService {
  constructor(
    private readonly rpc: Rpc,
    private readonly matrix: MatrixService,
    private readonly environments: EnvironmentService,
  ) {}

  /** The details of an instance; with its agent only for a caller that may see the agents of its environment. */
  async details(caller: CompanyCaller, instanceID: string): Promise<RunDetails> {
    const viewer = { accountID: caller.accountID };
    const { agent, values, run, valuesUnreadable } = await this.rpc.call(execution.runDetails, { instanceID, viewer });
    const shown = values && withSecretsHidden(values, await this.matrix.read(run.processID));
    const details = { run, values: shown, ...(valuesUnreadable && { valuesUnreadable }) };
    if (agent === undefined) return details;
    const environment = await this.environments.findVisible(caller, run.environmentID);
    return environment ? { ...details, agent } : details;
  }

  /**
   * The kept values of the instance; a value in `changes` replaces the kept one. A variable that has since been removed
   * from the Matrix is left out. `withoutDefault` = the variables without a value, which take no default that was registered since.
   * Throws CONFLICT for a debug run and when the values are not kept or cannot be read, and BAD_REQUEST when the value of a Secreto is missing.
   */
  async valuesForRerun(
    { run, values, valuesUnreadable }: RunDetails,
    changes: Record<string, unknown> = {},
  ): Promise<{ matrix: Record<string, unknown>; withoutDefault?: string[] }> {
    if (run.trigger === 'debug') {
      throw new ApiError('CONFLICT', 'A debug run is repeated from its capture.');
    }
    if (!values) {
      throw new ApiError(
        'CONFLICT',
        valuesUnreadable
          ? 'The values of the instance cannot be read, for example because their key was removed from the service; run the process with new values.'
          : 'The values of the instance are not kept; run the process with new values.',
      );
    }
    const matrix = await this.matrix.read(run.processID);
    const kept = withSecretsHidden(values, matrix).filter(({ removed }) => !removed);
    requireSecrets(kept, changes);
    const unchanged = kept.filter(({ name }) => !Object.hasOwn(changes, name));
    const withoutDefault = unchanged.flatMap(({ name, value }) => (value === null ? [name] : []));
    const repeated = unchanged.filter(({ type }) => type !== 'Secreto');
    const sent = [...repeated.map(({ name, value }) => [name, value] as const), ...Object.entries(changes)];
    return { matrix: Object.fromEntries(sent), ...(withoutDefault.length > 0 && { withoutDefault }) };
  }
}

/**
 * The values, with null in place of those of variables that have become a Secreto since the start: nobody sees such a value, nor runs with it
 * again. Such a variable may have been renamed or removed later, so a value whose name no variable has now is null, too, and marked as
 * removed (interpretation 64).
 */
function withSecretsHidden(values: StartedValue[], matrix: readonly { name: string; type: string }[]): StartedValue[] {
  const types = new Map(matrix.map(({ name, type }) => [name, type]));
  return values.map((one) => {
    const { name, type, value } = one;
    const removed = !types.has(name) && { removed: true as const };
    if (type === 'Secreto') return { ...one, ...removed };
    if (!removed && types.get(name) !== 'Secreto') return one;
    return { name, type: 'Secreto', value: null, ...(value !== null && { secret: true as const }), ...removed };
  });
}

/**
 * The environment to name in the start of a further run: that of the repeated run. Undefined when the process has that
 * environment registered: the start then runs there without naming it, and the caller needs no access to it (contract
 * 4.8 rule 3).
 */
export function environmentToRequest(
  { run }: RunDetails,
  process: { environmentID: string | null },
): string | undefined {
  return run.environmentID === process.environmentID ? undefined : run.environmentID;
}

/**
 * Throws BAD_REQUEST for Secretos without a new value. Null counts as a value: the instance then runs without the
 * Secreto.
 */
function requireSecrets(values: StartedValue[], changes: Record<string, unknown>): void {
  const missing = values.filter(({ name, secret }) => secret && !Object.hasOwn(changes, name)).map(({ name }) => name);
  if (missing.length === 0) return;
  throw new ApiError('BAD_REQUEST', `matrix: the values of Secretos are not kept; send ${missing.join(', ')} again`);
}
