import { ApiError } from '@batuta/errors';
import { authorizeHook, type WebhookUrl } from './hook';

const PROCESS_ID = '01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c15';
const buildHook = (over: Partial<WebhookUrl> = {}): WebhookUrl => ({
  originID: 'o',
  companyID: 'c',
  processID: PROCESS_ID,
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

function outcomeOf(found: WebhookUrl | undefined, pid: unknown = PROCESS_ID): string {
  try {
    authorizeHook(found, pid);
    return 'allowed';
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
}

const buildDevHook = (over: Partial<WebhookUrl> = {}) => buildHook({ kind: 'dev', ...over });

// Each refused row has one fault together with a fault that is checked after it, so that the order of the checks is
// tested.
test.each<[string, WebhookUrl | undefined, unknown, string]>([
  ['a production URL', buildHook(), PROCESS_ID, 'allowed'],
  ['a URL whose process id is in capitals', buildHook(), PROCESS_ID.toUpperCase(), 'allowed'],
  ['a URL with an unknown token', undefined, PROCESS_ID, 'NOT_FOUND'],
  ['the URL of another process', buildHook({ revoked: true }), '01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c16', 'NOT_FOUND'],
  ['a URL without a process id', buildHook(), 'orders', 'NOT_FOUND'],
  ['a rotated URL', buildHook({ revoked: true, enabled: false }), PROCESS_ID, 'WEBHOOK_TOKEN_REVOKED'],
  ['a URL of an origin that is off', buildHook({ enabled: false, apiEnabled: false }), PROCESS_ID, 'WEBHOOK_DISABLED'],
  [
    'a URL of a process with API access BLOQUEADO',
    buildHook({ apiEnabled: false, apiAccess: false }),
    PROCESS_ID,
    'WEBHOOK_DISABLED',
  ],
  [
    'a URL of an owner whose plan has no API access',
    buildHook({ apiAccess: false, ownerActive: false }),
    PROCESS_ID,
    'PLAN_FEATURE_UNAVAILABLE',
  ],
  ['a URL of an inactive owner, which the start checks', buildHook({ ownerActive: false }), PROCESS_ID, 'allowed'],
  [
    'a URL of a process without a published version, which the start checks',
    buildHook({ versionID: null }),
    PROCESS_ID,
    'allowed',
  ],
  [
    'a development URL, whatever the plan',
    buildDevHook({ apiAccess: false, apiEnabled: false }),
    PROCESS_ID,
    'allowed',
  ],
  [
    'a development URL that was rotated',
    buildDevHook({ revoked: true, ownerActive: false }),
    PROCESS_ID,
    'WEBHOOK_TOKEN_REVOKED',
  ],
  [
    'a development URL that is off',
    buildDevHook({ enabled: false, ownerActive: false }),
    PROCESS_ID,
    'WEBHOOK_DISABLED',
  ],
  ['a development URL of an inactive owner', buildDevHook({ ownerActive: false }), PROCESS_ID, 'OWNER_INACTIVE'],
])('a call of %s is allowed or refused by the first check that fails', (_, found, pid, expected) =>
  expect(outcomeOf(found, pid)).toBe(expected),
);
