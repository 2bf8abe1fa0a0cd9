import type { EnvironmentFacts, ProcessStartFacts } from '@batuta/catalog';
import type { Trigger } from '@batuta/contracts';
import { acceptedAs, chooseEnvironment } from './decision';

const OWNER = { accountID: 'owner', companyID: 'company of the owner' };
const COLLEAGUE = { accountID: 'colleague', companyID: OWNER.companyID };
const GUEST = { accountID: 'guest', companyID: 'company of the guest' };
const GUEST_COLLEAGUE = { accountID: 'guest’s colleague', companyID: GUEST.companyID };

const environmentFacts = (environmentID: string, of: typeof OWNER, shared: boolean): EnvironmentFacts => ({
  environmentID,
  name: environmentID,
  ...of,
  shared,
  offlineFlow: true,
  online: false,
});

const ENVIRONMENTS = [
  environmentFacts('of the owner', OWNER, false),
  environmentFacts('of a colleague', COLLEAGUE, false),
  environmentFacts('of a colleague, shared', COLLEAGUE, true),
  environmentFacts('of the guest', GUEST, false),
  environmentFacts('of the guest’s colleague, shared', GUEST_COLLEAGUE, true),
];

const START_FACTS = {
  environments: new Map(ENVIRONMENTS.map((one) => [one.environmentID, one])),
  companies: new Map([OWNER, COLLEAGUE, GUEST].map(({ accountID, companyID }) => [accountID, companyID])),
};
const triggerOf = (accountID: string | null): Trigger => ({ kind: 'api', accountID, userName: 'erp', executor: 'key' });

function processWith(environmentID: string | null): ProcessStartFacts {
  return {
    processID: 'p',
    processName: 'Orders',
    active: true,
    ownerAccountID: OWNER.accountID,
    ownerActive: true,
    companyID: OWNER.companyID,
    monthlyCredits: 1,
    environmentID,
    versionID: 'v',
    version: 1,
    matrix: [],
  };
}

/** The id of the chosen environment, or the message of the refusal. */
function chosenEnvironment(caller: string | null, sent: string | undefined, registered: string | null): string {
  try {
    return chooseEnvironment({ environmentID: sent, trigger: triggerOf(caller) }, processWith(registered), START_FACTS)
      .environmentID;
  } catch (error) {
    return error instanceof Error ? error.message : 'something else';
  }
}

describe('requested environment', () => {
  test.each([
    ['the owner', 'owner', 'of the owner'],
    ['the owner', 'owner', 'of a colleague, shared'],
    ['a guest', 'guest', 'of the guest'],
    ['a guest', 'guest', 'of the guest’s colleague, shared'],
    ['a firing, in the owner’s name', null, 'of the owner'],
  ])('an environment in the request is used when %s (%s) reaches it: the one %s', (_who, caller, sent) => {
    expect(chosenEnvironment(caller, sent, null)).toBe(sent);
  });

  test.each([
    ['owner', 'of a colleague'],
    ['owner', 'of the guest'],
    ['guest', 'of the owner'],
    ['guest', 'of a colleague, shared'],
    ['owner', 'that does not exist'],
    [null, 'of the guest'],
  ])('an environment in the request is refused when %s does not reach it: the one %s', (caller, sent) => {
    expect(chosenEnvironment(caller, sent, 'of the owner')).toBe(
      `environmentID: the environment ${sent} does not exist or is out of reach.`,
    );
  });
});

describe('registered environment', () => {
  test.each(['owner', 'guest', null])(
    'the environment registered on the process is used when the request names none, whoever starts (%s)',
    (caller) => {
      expect(chosenEnvironment(caller, undefined, 'of the owner')).toBe('of the owner');
      expect(chosenEnvironment(caller, undefined, 'of a colleague, shared')).toBe('of a colleague, shared');
    },
  );

  test.each(['of a colleague', 'of the guest', 'that was deleted'])(
    'the environment registered on the process is named in the refusal when the process owner does not reach it: the one %s',
    (registered) => {
      expect(chosenEnvironment('guest', undefined, registered)).toMatch(
        new RegExp(`environment ${registered} registered on the process .* registration of the process`),
      );
    },
  );

  test('the environment registered on the process is required when the request names none', () => {
    expect(chosenEnvironment('owner', undefined, null)).toMatch(/no environment registered/);
  });
});

test.each([
  [true, true, undefined, 'started'],
  [true, false, undefined, 'started'],
  [false, true, undefined, 'queued'],
  [true, true, 'No connected agent of the environment "Far away" runs browser steps', 'queued'],
])(
  'a start in an environment with online = %s, offlineFlow = %s and the missing abilities %p is accepted as %s',
  (online, offlineFlow, missing, status) => {
    const place = { ...environmentFacts('Far away', OWNER, false), online, offlineFlow };
    expect(acceptedAs({ environment: place, missing })).toBe(status);
  },
);

test('a start in an offline environment without a queue is refused, and the refusal names the environment', () => {
  const offline = { ...environmentFacts('Far away', OWNER, false), offlineFlow: false };
  expect(() => acceptedAs({ environment: offline, missing: undefined })).toThrow(/"Far away" is offline/);
});

test('a start that no connected agent can run, in an environment without a queue, is refused with what is missing', () => {
  const place = { ...environmentFacts('Plant', OWNER, false), online: true, offlineFlow: false };
  const missing = 'No connected agent of the environment "Plant" runs browser and email steps';
  expect(() => acceptedAs({ environment: place, missing })).toThrow(
    expect.objectContaining({
      code: 'AGENT_OFFLINE',
      message: `${missing}, and it keeps no queue for pending executions.`,
    }),
  );
});
