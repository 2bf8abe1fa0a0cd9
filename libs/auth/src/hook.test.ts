import { ApiError } from '@batuta/errors';
import { authorizeHook, type Hook } from './hook';

const PROCESS = '01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c15';
const hook = (over: Partial<Hook> = {}): Hook => ({
  originID: 'o',
  processID: PROCESS,
  kind: 'prod',
  revoked: false,
  enabled: true,
  originName: 'Shop',
  responseMode: 'Imediata',
  waitSeconds: 30,
  signed: false,
  apiEnabled: true,
  ownerActive: true,
  apiAccess: true,
  requestsPerMinute: 600,
  versionID: 'v',
  ...over,
});

function outcome(found: Hook | undefined, pid: unknown = PROCESS): string {
  try {
    authorizeHook(found, pid);
    return 'taken';
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
}

const dev = (over: Partial<Hook> = {}) => hook({ kind: 'dev', ...over });

// Each fault stands with all that would be found behind it.
test.each<[string, Hook | undefined, unknown, string]>([
  ['a production URL', hook(), PROCESS, 'taken'],
  ['the id in capitals', hook(), PROCESS.toUpperCase(), 'taken'],
  ['an unknown token', undefined, PROCESS, 'NOT_FOUND'],
  ['the URL of another process', hook({ revoked: true }), '01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c16', 'NOT_FOUND'],
  ['no id', hook(), 'orders', 'NOT_FOUND'],
  ['a rotated URL', hook({ revoked: true, enabled: false }), PROCESS, 'WEBHOOK_TOKEN_REVOKED'],
  ['an origin that is off', hook({ enabled: false, apiEnabled: false }), PROCESS, 'WEBHOOK_DISABLED'],
  ['BLOQUEADO', hook({ apiEnabled: false, apiAccess: false }), PROCESS, 'WEBHOOK_DISABLED'],
  ['a plan without API access', hook({ apiAccess: false, ownerActive: false }), PROCESS, 'PLAN_FEATURE_UNAVAILABLE'],
  ['an inactive owner, judged with the start', hook({ ownerActive: false }), PROCESS, 'taken'],
  ['nothing published, judged with the start', hook({ versionID: null }), PROCESS, 'taken'],
  ['a development URL, whatever the plan', dev({ apiAccess: false, apiEnabled: false }), PROCESS, 'taken'],
  ['a development URL that was rotated', dev({ revoked: true, ownerActive: false }), PROCESS, 'WEBHOOK_TOKEN_REVOKED'],
  ['a development URL that is off', dev({ enabled: false, ownerActive: false }), PROCESS, 'WEBHOOK_DISABLED'],
  ['a development URL of an inactive owner', dev({ ownerActive: false }), PROCESS, 'OWNER_INACTIVE'],
])('%s', (_, found, pid, expected) => expect(outcome(found, pid)).toBe(expected));
