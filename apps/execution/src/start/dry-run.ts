import type { DryRunReply, StartRequest } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import { ApiError, type WireError } from '@batuta/errors';
import type { CreditService } from '../credit/credit.service';
import { acceptedAs, chooseEnvironment, publishedVersion, requireActiveOwner, requireCredit } from './decision';
import { readMatrix, type StartValue } from './values';
import { readFacts } from './facts';

const HIDDEN = '•••';

/** Every check of a start in its order, each told, none done: where a start stops at the first refusal, this goes on. */
export async function dryRun(
  store: Store,
  credits: CreditService,
  request: Pick<StartRequest, 'processID' | 'trigger' | 'matrix' | 'environmentID'>,
): Promise<DryRunReply> {
  const facts = await readFacts(store, [request]);
  const launch = facts.launches.get(request.processID);
  if (!launch) throw new ApiError('PROCESS_NOT_FOUND');
  const balance = (await credits.balances([launch.companyID]))[launch.companyID] ?? 0;
  const refusals: WireError[] = [];
  const told = <T>(check: () => T) => tell(refusals, check);
  told(() => requireActiveOwner(launch));
  told(() => publishedVersion(launch));
  const matrix = told(() => readMatrix(launch.matrix, request).matrix);
  const environment = told(() => chooseEnvironment(request, launch, facts));
  told(() => requireCredit(balance));
  const status = environment && told(() => acceptedAs({ environment }));
  return {
    matrix: matrix && shown(matrix),
    refusals,
    environment: environment && {
      environmentID: environment.environmentID,
      name: environment.name,
      online: environment.online,
    },
    status: refusals.length === 0 ? status : undefined,
  };
}

function tell<T>(refusals: WireError[], check: () => T): T | undefined {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    refusals.push(error.toWire());
    return undefined;
  }
}

function shown(matrix: StartValue[]): Record<string, unknown> {
  return Object.fromEntries(
    matrix.map(({ name, type, value }) => [name, type === 'Secreto' && value !== null ? HIDDEN : value]),
  );
}
