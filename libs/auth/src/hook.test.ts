import { ApiError } from '@batuta/errors';
import { authorizeHook, type Hook } from './hook';

const PROCESS = '01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c15';
const buildHook = (over: Partial<Hook> = {}): Hook => ({
  originID: 'o',
  companyID: 'c',
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

function outcomeOf(found: Hook | undefined, pid: unknown = PROCESS): string {
  try {
    authorizeHook(found, pid);
    return 'allowed';
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
}

const dev = (over: Partial<Hook> = {}) => buildHook({ kind: 'dev', ...over });

// Each row has the fault that is reported together with faults whose checks come later.
test.each<[string, Hook | undefined, unknown, string]>([
  ['a production URL', buildHook(), PROCESS, 'allowed'],
  ['the id in capitals', buildHook(), PROCESS.toUpperCase(), 'allowed'],
  ['an unknown token', undefined, PROCESS, 'NOT_FOUND'],
  ['the URL of another process', buildHook({ revoked: true }), '01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c16', 'NOT_FOUND'],
  ['no id', buildHook(), 'orders', 'NOT_FOUND'],
  ['a rotated URL', buildHook({ revoked: true, enabled: false }), PROCESS, 'WEBHOOK_TOKEN_REVOKED'],
  ['an origin that is off', buildHook({ enabled: false, apiEnabled: false }), PROCESS, 'WEBHOOK_DISABLED'],
  ['BLOQUEADO', buildHook({ apiEnabled: false, apiAccess: false }), PROCESS, 'WEBHOOK_DISABLED'],
  [
    'a plan without API access',
    buildHook({ apiAccess: false, ownerActive: false }),
    PROCESS,
    'PLAN_FEATURE_UNAVAILABLE',
  ],
  ['an inactive owner, which the start checks', buildHook({ ownerActive: false }), PROCESS, 'allowed'],
  ['nothing published, which the start checks', buildHook({ versionID: null }), PROCESS, 'allowed'],
  ['a development URL, whatever the plan', dev({ apiAccess: false, apiEnabled: false }), PROCESS, 'allowed'],
  ['a development URL that was rotated', dev({ revoked: true, ownerActive: false }), PROCESS, 'WEBHOOK_TOKEN_REVOKED'],
  ['a development URL that is off', dev({ enabled: false, ownerActive: false }), PROCESS, 'WEBHOOK_DISABLED'],
  ['a development URL of an inactive owner', dev({ ownerActive: false }), PROCESS, 'OWNER_INACTIVE'],
])('%s', (_, found, pid, expected) => expect(outcomeOf(found, pid)).toBe(expected));
