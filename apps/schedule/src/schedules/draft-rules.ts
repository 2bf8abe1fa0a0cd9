import type { EnvironmentFacts, ProcessStartFacts } from '@batuta/catalog';
import { ApiError } from '@batuta/errors';
import { convertMatrix, type MatrixVariable } from '@batuta/matrix';

/** Throws INVALID_MATRIX for a Secreto, which must not be stored (contract 4.14), and otherwise what `convertMatrix` throws. */
export function requireMatrix(variables: MatrixVariable[], matrix: Record<string, unknown>): void {
  const secret = variables.find(({ name, type }) => type === 'Secreto' && Object.hasOwn(matrix, name));
  if (secret) {
    throw new ApiError(
      'INVALID_MATRIX',
      `${secret.name}: a schedule takes no Secreto; put it into the vault and refer to it as {vault.KEY}`,
    );
  }
  convertMatrix(variables, matrix);
}

/**
 * Throws INVALID_ENVIRONMENT unless the creator of the schedule (contract 4.8 rule 3) and the owner of the process may
 * both use the environment. Firings run as the owner (contract 2.9), so with only the creator's access every firing
 * would fail.
 */
export function requireEnvironment(
  environmentID: string,
  environment: EnvironmentFacts | undefined,
  creator: { accountID: string; companyID: string | undefined },
  owner: Pick<ProcessStartFacts, 'ownerAccountID' | 'companyID'>,
): void {
  if (!environment || !isReachable(environment, creator.accountID, creator.companyID)) {
    throw unreachableEnvironment(environmentID, 'does not exist or is out of reach.');
  }
  if (!isReachable(environment, owner.ownerAccountID, owner.companyID)) {
    throw unreachableEnvironment(
      environmentID,
      'is out of reach of the owner of the process, as whom its schedules run.',
    );
  }
}

function unreachableEnvironment(environmentID: string, why: string): ApiError {
  return new ApiError('INVALID_ENVIRONMENT', `environmentID: the environment ${environmentID} ${why}`);
}

function isReachable(environment: EnvironmentFacts, accountID: string, companyID: string | undefined): boolean {
  return environment.accountID === accountID || (environment.shared && environment.companyID === companyID);
}
