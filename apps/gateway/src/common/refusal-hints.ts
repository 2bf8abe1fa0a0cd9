import { ApiError, type ErrorCode, type WireError } from '@batuta/errors';

/** The process of a start or a schedule, and the environment that its body names. */
interface NamedInRequest {
  processID: string;
  environmentID?: string | undefined;
}

/** The end of a message about an environment that the caller has sent. */
export const ENVIRONMENTS_HINT = 'GET /v1/environments lists yours and those shared with your company';

/**
 * Awaits a start or the creation of a schedule. A refusal with INVALID_MATRIX, or with INVALID_ENVIRONMENT for an environment that the request
 * names, is thrown with a longer message, which names the route that lists what the caller may send instead; other errors are thrown unchanged.
 */
export async function withHint<T>(call: Promise<T>, named: NamedInRequest): Promise<T> {
  try {
    return await call;
  } catch (error) {
    const hint = error instanceof ApiError ? hintOf(error.code, named) : '';
    throw error instanceof ApiError && hint !== '' ? new ApiError(error.code, error.message + hint) : error;
  }
}

/** The message of a refusal, longer as in `withHint`. */
export function messageWithHint({ code, message }: WireError, named: NamedInRequest): string {
  return message + hintOf(code, named);
}

function hintOf(code: ErrorCode, { processID, environmentID }: NamedInRequest): string {
  if (code === 'INVALID_MATRIX') return `; GET /v1/processes/${processID}/matrix lists the variables with their types`;
  // Without an environment in the request, the one registered on the process is refused, as the message says.
  return code === 'INVALID_ENVIRONMENT' && environmentID !== undefined ? ` ${ENVIRONMENTS_HINT}.` : '';
}
