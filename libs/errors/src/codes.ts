/**
 * Every error code with its HTTP status and when it is thrown, which is also its default message (contract 7, interpretations 17, 18
 * and 22).
 */
export const ERROR_CODES = {
  BAD_REQUEST: {
    status: 400,
    when: 'The body is not valid JSON, or a field that has no code of its own is malformed.',
  },
  INVALID_PROCESS_ID: { status: 400, when: 'The process id is missing or malformed.' },
  INVALID_MATRIX: { status: 400, when: 'A value does not fit its variable; the message names the field.' },
  INVALID_ACTION: { status: 400, when: 'The control action is none of stop, pause, resume.' },
  INVALID_NAME: { status: 400, when: 'A name is missing, empty or too long.' },
  INVALID_CRON: { status: 400, when: 'The cron expression is malformed or never fires.' },
  INVALID_ENVIRONMENT: { status: 400, when: 'The environment does not exist or is out of reach.' },
  MISSING_CREDENTIAL: { status: 401, when: 'No account credential was sent.' },
  INVALID_CREDENTIAL: { status: 401, when: 'The account credential is not known.' },
  CREDENTIAL_REVOKED: { status: 401, when: 'The account credential was revoked.' },
  CREDENTIAL_EXPIRED: { status: 401, when: 'The account credential has expired.' },
  MISSING_PROCESS_KEY: { status: 401, when: 'No process key was sent.' },
  INVALID_PROCESS_KEY: { status: 401, when: 'The process key is not known or belongs to another process.' },
  PROCESS_KEY_REVOKED: { status: 401, when: 'The process key was revoked.' },
  PROCESS_KEY_EXPIRED: { status: 401, when: 'The process key has expired.' },
  WEBHOOK_TOKEN_REVOKED: { status: 401, when: 'The webhook URL is from before a rotation.' },
  WEBHOOK_SIGNATURE_INVALID: {
    status: 401,
    when: 'The origin asks for a signature, and the call has none, a wrong one, or one whose timestamp is missing or too far from now.',
  },
  PLAN_FEATURE_UNAVAILABLE: { status: 402, when: 'The plan lacks API access or scheduling; the message says which.' },
  INSUFFICIENT_CREDITS: { status: 402, when: 'The company that owns the process has no credits left.' },
  FORBIDDEN: { status: 403, when: 'No link to the process, or the sharing lacks the permission.' },
  API_DISABLED: { status: 403, when: 'The API access permission of the process is BLOQUEADO.' },
  OWNER_INACTIVE: { status: 403, when: 'The account or its company has no active access.' },
  WEBHOOK_DISABLED: { status: 403, when: 'The webhook is switched off.' },
  PROCESS_NOT_FOUND: { status: 404, when: 'No such process.' },
  INSTANCE_NOT_FOUND: { status: 404, when: 'No such instance, or not visible to the caller.' },
  SCHEDULE_NOT_FOUND: { status: 404, when: 'No such schedule, or not visible to the caller.' },
  NOT_FOUND: { status: 404, when: 'No such route or resource.' },
  INSTANCE_FINISHED: { status: 409, when: 'A control action on an instance that has ended.' },
  INSTANCE_UNRESOLVED: { status: 409, when: 'The control action does not apply to the state of the instance.' },
  PROCESS_NOT_PUBLISHED: { status: 409, when: 'No version is published, or the process is inactive.' },
  MAPPING_UNSAVED: { status: 409, when: 'A webhook mapping has changes that were not saved.' },
  CONFLICT: { status: 409, when: 'The resource is in use or exists already (management API).' },
  QUOTA_EXCEEDED: { status: 409, when: 'The company has as many objects of this kind as it may have.' },
  PRECONDITION_FAILED: {
    status: 412,
    when: 'If-Match names another state than the stored one: somebody saved meanwhile (management API).',
  },
  PAYLOAD_TOO_LARGE: { status: 413, when: 'The body is above 1 MB.' },
  UNSUPPORTED_CHARSET: { status: 415, when: 'The body has a charset that the route does not accept.' },
  RATE_LIMITED: { status: 429, when: 'Too many requests.' },
  INTERNAL: { status: 500, when: 'An unexpected fault; the message carries a request id.' },
  ROUTER_ERROR: { status: 502, when: 'The execution could not be queued; nothing was stored or charged.' },
  INVALID_RESPONSE: { status: 502, when: 'The answer that the process recorded is not valid.' },
  AGENT_OFFLINE: { status: 503, when: 'The environment is offline and keeps no queue.' },
  UNAVAILABLE: { status: 503, when: 'A part that the request needs is away for the moment; try again.' },
} as const satisfies Record<string, { status: number; when: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;

export function isErrorCode(word: unknown): word is ErrorCode {
  return typeof word === 'string' && Object.hasOwn(ERROR_CODES, word);
}
