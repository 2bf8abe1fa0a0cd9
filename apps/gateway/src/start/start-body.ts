import { readID } from '@batuta/auth';
import { ApiError } from '@batuta/errors';
import { MAX_DEPTH, isTooDeep } from '@batuta/matrix';

export interface StartBody {
  matrix?: Record<string, unknown>;
  environmentID?: string;
}

/**
 * The body of contract 4.8: the shape only, values are judged by the execution service. Fields that the contract does not
 * know are ignored. Throws INVALID_MATRIX or INVALID_ENVIRONMENT naming the field.
 */
export function readStartBody({ matrix, environmentID }: Record<string, unknown>): StartBody {
  return { ...readMatrix(matrix), ...readEnvironmentID(environmentID) };
}

/** The `Idempotency-Key` header; undefined when it was not sent. Throws BAD_REQUEST (interpretation 21). */
export function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) return header;
  throw new ApiError('BAD_REQUEST', 'Idempotency-Key: must be 1 to 255 visible ASCII characters');
}

function readMatrix(matrix: unknown): Pick<StartBody, 'matrix'> {
  if (matrix === undefined) return {};
  if (!isObject(matrix)) throw new ApiError('INVALID_MATRIX', 'matrix: must be an object');
  for (const [name, value] of Object.entries(matrix)) {
    if (isTooDeep(value)) {
      throw new ApiError('INVALID_MATRIX', `${name.slice(0, 80)}: is nested more than ${MAX_DEPTH} levels deep`);
    }
  }
  return { matrix };
}

function readEnvironmentID(value: unknown): Pick<StartBody, 'environmentID'> {
  if (value === undefined) return {};
  const environmentID = readID(value);
  if (environmentID === undefined) throw new ApiError('INVALID_ENVIRONMENT', 'environmentID: must be a UUID');
  return { environmentID };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
