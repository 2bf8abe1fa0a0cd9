import { ApiError, ERROR_CODES } from '.';

/** The codes of contract 7 by HTTP status, which never change: clients depend on them. */
const CODES_OF_CONTRACT: Record<number, string[]> = {
  400: [
    'INVALID_PROCESS_ID',
    'INVALID_MATRIX',
    'INVALID_ACTION',
    'INVALID_NAME',
    'INVALID_CRON',
    'INVALID_ENVIRONMENT',
    'BAD_REQUEST',
  ],
  401: [
    'MISSING_CREDENTIAL',
    'INVALID_CREDENTIAL',
    'CREDENTIAL_REVOKED',
    'CREDENTIAL_EXPIRED',
    'MISSING_PROCESS_KEY',
    'INVALID_PROCESS_KEY',
    'PROCESS_KEY_REVOKED',
    'PROCESS_KEY_EXPIRED',
    'WEBHOOK_TOKEN_REVOKED',
    'WEBHOOK_SIGNATURE_INVALID',
  ],
  402: ['PLAN_FEATURE_UNAVAILABLE', 'INSUFFICIENT_CREDITS'],
  403: ['FORBIDDEN', 'API_DISABLED', 'OWNER_INACTIVE', 'WEBHOOK_DISABLED'],
  404: ['PROCESS_NOT_FOUND', 'INSTANCE_NOT_FOUND', 'SCHEDULE_NOT_FOUND', 'NOT_FOUND'],
  409: [
    'INSTANCE_FINISHED',
    'INSTANCE_UNRESOLVED',
    'PROCESS_NOT_PUBLISHED',
    'MAPPING_UNSAVED',
    'CONFLICT',
    'QUOTA_EXCEEDED',
  ],
  412: ['PRECONDITION_FAILED'],
  413: ['PAYLOAD_TOO_LARGE'],
  415: ['UNSUPPORTED_CHARSET'],
  429: ['RATE_LIMITED'],
  500: ['INTERNAL'],
  502: ['ROUTER_ERROR', 'INVALID_RESPONSE'],
  503: ['AGENT_OFFLINE', 'UNAVAILABLE'],
};

test('the table has exactly the contract’s codes, each with its status', () => {
  const table = Object.fromEntries(Object.entries(ERROR_CODES).map(([code, { status }]) => [code, status]));
  const contract = Object.fromEntries(
    Object.entries(CODES_OF_CONTRACT).flatMap(([status, codes]) => codes.map((code) => [code, Number(status)])),
  );
  expect(table).toEqual(contract);
});

test('an error keeps its code and message over NATS', () => {
  const error = ApiError.fromWire(new ApiError('INVALID_MATRIX', 'total: no number').toWire());
  expect(error).toMatchObject({ code: 'INVALID_MATRIX', status: 400, message: 'total: no number' });
});

test('an unknown error becomes INTERNAL without its detail', () => {
  const error = ApiError.fromWire({ code: 'ER_DUP_ENTRY', message: 'Duplicate entry' });
  expect(error.toEnvelope()).toEqual({ error: { code: 'INTERNAL', message: ERROR_CODES.INTERNAL.when } });
});
