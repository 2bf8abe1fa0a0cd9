import type { EnvironmentFacts, LaunchFacts } from '@batuta/catalog';
import type { Trigger } from '@batuta/contracts';
import { acceptedAs, chooseEnvironment } from './decision';

const OWNER = { accountID: 'owner', companyID: 'company of the owner' };
const COLLEAGUE = { accountID: 'colleague', companyID: OWNER.companyID };
const GUEST = { accountID: 'guest', companyID: 'company of the guest' };
const GUESTS_COLLEAGUE = { accountID: 'guest’s colleague', companyID: GUEST.companyID };

const environment = (environmentID: string, of: typeof OWNER, shared: boolean): EnvironmentFacts => ({
  environmentID,
  name: environmentID,
  ...of,
  shared,
  offlineFlow: true,
  online: false,
});

const ENVIRONMENTS = [
  environment('of the owner', OWNER, false),
  environment('of a colleague', COLLEAGUE, false),
  environment('of a colleague, shared', COLLEAGUE, true),
  environment('of the guest', GUEST, false),
  environment('of the guest’s colleague, shared', GUESTS_COLLEAGUE, true),
];

const facts = {
  environments: new Map(ENVIRONMENTS.map((one) => [one.environmentID, one])),
  companies: new Map([OWNER, COLLEAGUE, GUEST].map(({ accountID, companyID }) => [accountID, companyID])),
};
const trigger = (accountID: string | null): Trigger => ({ kind: 'api', accountID, userName: 'erp', executor: 'key' });

function launch(environmentID: string | null): LaunchFacts {
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

function chosen(caller: string | null, sent: string | undefined, registered: string | null): string {
  try {
    return chooseEnvironment({ environmentID: sent, trigger: trigger(caller) }, launch(registered), facts)
      .environmentID;
  } catch (error) {
    return error instanceof Error ? error.message : 'something else';
  }
}

describe('an environment that was sent', () => {
  test.each([
    ['the owner', 'owner', 'of the owner'],
    ['the owner', 'owner', 'of a colleague, shared'],
    ['a guest', 'guest', 'of the guest'],
    ['a guest', 'guest', 'of the guest’s colleague, shared'],
    ['a firing, in the owner’s name', null, 'of the owner'],
  ])('is where %s (%s) starts: the one %s', (_who, caller, sent) => {
    expect(chosen(caller, sent, null)).toBe(sent);
  });

  test.each([
    ['owner', 'of a colleague'],
    ['owner', 'of the guest'],
    ['guest', 'of the owner'],
    ['guest', 'of a colleague, shared'],
    ['owner', 'that is not there'],
    [null, 'of the guest'],
  ])('is refused where %s does not reach it: the one %s', (caller, sent) => {
    expect(chosen(caller, sent, 'of the owner')).toBe(
      `environmentID: the environment ${sent} does not exist or is out of reach.`,
    );
  });
});

describe('the environment registered on the process', () => {
  test.each(['owner', 'guest', null])('is taken when none was sent, whoever starts (%s)', (caller) => {
    expect(chosen(caller, undefined, 'of the owner')).toBe('of the owner');
    expect(chosen(caller, undefined, 'of a colleague, shared')).toBe('of a colleague, shared');
  });

  test.each(['of a colleague', 'of the guest', 'that was deleted'])(
    'is named when its owner does not reach it: the one %s',
    (registered) => {
      expect(chosen('guest', undefined, registered)).toMatch(
        new RegExp(`environment ${registered} registered on the process .* registration of the process`),
      );
    },
  );

  test('is asked for when there is none', () => {
    expect(chosen('owner', undefined, null)).toMatch(/no environment registered/);
  });
});

test.each([
  [true, true, 'started'],
  [true, false, 'started'],
  [false, true, 'queued'],
])('an agent that is online %s, with a queue %s, makes the answer %s', (online, offlineFlow, status) => {
  expect(acceptedAs({ environment: { ...environment('Far away', OWNER, false), online, offlineFlow } })).toBe(status);
});

test('an environment that is offline without a queue is refused by its name', () => {
  const offline = { ...environment('Far away', OWNER, false), offlineFlow: false };
  expect(() => acceptedAs({ environment: offline })).toThrow(/"Far away" is offline/);
});
