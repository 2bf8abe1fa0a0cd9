import * as fc from 'fast-check';
import * as s from '../support/shape';
import { expectSuccess } from '../e2e/support/tenants/api';
import { makeCompany, makeOwner, makeProcess } from '../e2e/support/tenants/factories';
import { instanceOf } from '../e2e/support/tenants/instances';
import { captureIDOf, makeOrigin, sendEvent } from '../e2e/support/webhooks/webhooks';
import type { Stack } from '../e2e/support/stack/stack';
import type { ApiOperation } from './openapi-document';
import type { KnownValues } from './requests';
import { Secrets } from './secrets';

export const LOGOUT_ROUTE = 'DELETE /manage/v1/session';

export interface ConsoleFuzzWorld {
  secrets: Secrets;
  /** Known values and credentials for the requests to one route. */
  inputsFor: (operation: ApiOperation) => { known: KnownValues; credentials: [name: string, value: string][] };
}

/** An address at which nothing listens, and which `EVENT_ALLOW_HOSTS` of the fuzzed stack allows. */
const EVENT_URL = 'http://127.0.0.1:2/events';

const subscriptionShape = s.object({ id: s.text(), secret: s.text() });
const tokenBodyShape = s.object({ token: s.text() });
const matrixBodyShape = s.object({ matrix: s.list(s.object({ id: s.text() })) });
const accountListShape = s.object({ accounts: s.list(s.object({ id: s.text(), email: s.text() })) });

/**
 * An operator, and the administrator of a company with a process. Routes that change a company get the id of another company, and DELETE
 * routes get random ids, so that the data stay.
 */
export async function makeConsoleWorld(stack: Stack): Promise<ConsoleFuzzWorld> {
  const company = await makeCompany(stack);
  // A login ends the oldest session of its account beyond a maximum, so that the fuzzed logins are of an account that sends no other request.
  const [owner, other, visitor] = await Promise.all([
    makeOwner(stack, { company, role: 'administrator' }),
    makeOwner(stack, { company }),
    makeOwner(stack, { company }),
  ]);
  const [process, elsewhere] = [
    await makeProcess(stack, { owner, matrix: MATRIX_VARIABLES }),
    await makeCompany(stack),
  ];
  // An origin of a second process, whose Matrix no request replaces: mappings refer to its variables.
  const origin = await makeOrigin(await makeProcess(stack, { owner, matrix: MATRIX_VARIABLES }), {
    mapping: { total: '/total' },
  });
  const mapped = matrixBodyShape.parse(await owner.manage('GET', `/processes/${origin.process.processID}/matrix`));
  const { accounts } = accountListShape.parse(await owner.manage('GET', '/accounts'));
  const otherID = accounts.find(({ email }) => email === other.email)?.id ?? '';
  const instanceID = instanceOf(await process.start());
  const schedule = { processID: process.processID, name: 'Yearly', cronExpression: '0 8 1 1 *' };
  const known: KnownValues = {
    iid: fc.constant(instanceID),
    // `active: true` keeps the process active, and `offlineFlow: true` lets its environment queue starts while no agent is connected: otherwise
    // manual runs would be refused.
    active: fc.constant(true),
    offlineFlow: fc.constant(true),
    pid: fc.constant(process.processID),
    environmentID: fc.constant(process.environment.environmentID),
    planId: fc.constant(company.planID),
    email: fc.constant(other.email),
    key: fc.stringMatching(/^[A-Z][A-Z0-9_]{0,20}$/),
    ...Object.fromEntries(
      ['name', 'processName', 'identifier', 'label', 'value', 'password', 'newPassword'].map((name) => [
        name,
        wordTexts,
      ]),
    ),
    os: fc.constantFrom('linux', 'windows'),
    envType: fc.constantFrom('prod', 'test'),
    expiresAt: fc.constantFrom(null, '2099-01-31T00:00:00Z'),
    avgHumanTime: fc.constantFrom('00:00:00', '12:34:56'),
    matrix: fc.constantFrom([], MATRIX_VARIABLES),
    pointer: fc.constantFrom('', '/total', '/_query/shop', '/items/0/~1'),
    variableId: fc.constantFrom(...mapped.matrix.map(({ id }) => id)),
    // A correction of credits within the range of a balance, with a reason that is not empty.
    how: fc.constant('set'),
    amount: fc.nat(1_000_000_000),
    reason: wordTexts,
    object: wordTexts,
    cronExpression: fc.constantFrom('0 8 29 2 *', '*/5 3 1 1 MON'),
    month: fc.constantFrom('2026-11', '2028-02'),
  };
  const secrets = new Secrets();
  const subscription = subscriptionShape.parse(
    await owner.manage('POST', '/company/event-subscriptions', { url: EVENT_URL, events: ['instance.error'] }),
  );
  secrets.keep('the secret of an event subscription', subscription.secret);
  // Headers whose values no capture may show.
  const hiddenHeaders = Object.fromEntries(
    ['Authorization', 'Cookie', 'X-Api-Key', 'X-Auth-Token', 'Api-Key'].map((name) => [
      name,
      secrets.make(`the header ${name} of a capture`),
    ]),
  );
  // The first word of a route after `/manage/v1/` → what stands for `{id}` in it.
  const idByNoun: Record<string, string> = {
    plans: company.planID,
    companies: elsewhere.companyID,
    accounts: otherID,
    environments: process.environment.environmentID,
    company: subscription.id,
    origins: origin.id,
    captures: captureIDOf(await sendEvent(origin.devUrl, { total: '1,5' }, hiddenHeaders)),
    schedules: await owner.client.schedules.create(process.processKey, schedule),
  };
  const logIn = { email: fc.constant(visitor.email), password: fc.constant(visitor.password) };
  secrets.keep('a password', owner.password);
  secrets.keep('the password of the fuzzed logins', visitor.password);
  secrets.keep('an account credential', owner.credential);
  secrets.keep('a process key', process.processKey);
  secrets.keep('an activation key', process.environment.activationKey);
  await owner.manage('PUT', '/vault/FUZZ', { value: secrets.make('a vault value') });
  const signature = {
    header: 'X-Signature',
    secret: secrets.make('the secret of a signature'),
    toleranceSeconds: null,
  };
  await makeOrigin(origin.process, { signature });
  const bearers = { operator: await logInAs(stack, stack.operator), owner: await logInAs(stack, owner) };
  const tokenToLogOut = secrets.keep('the token of a session that ends', await logInAs(stack, owner));
  secrets.keep('the token of a session', bearers.owner);
  secrets.keep("the token of the operator's session", bearers.operator);
  return {
    secrets,
    inputsFor: ({ name, method, path, description }) => {
      const noun = path.split('/')[3] ?? '';
      const id = idByNoun[noun];
      const bearer = String(description).includes('For operators') ? bearers.operator : bearers.owner;
      return {
        credentials: [['Authorization', `Bearer ${name === LOGOUT_ROUTE ? tokenToLogOut : bearer}`]],
        known: {
          ...known,
          ...(id === undefined ? {} : { id: fc.constant(id) }),
          ...(path.includes('/event-subscriptions') ? subscriptionValues(process.processID) : {}),
          ...(method === 'DELETE' ? { id: fc.uuid(), pid: fc.uuid() } : {}),
          ...(name === 'POST /manage/v1/session' ? logIn : KNOWN_VALUES_BY_ROUTE[name]),
        },
      };
    },
  };
}

const subscriptionValues = (processID: string): KnownValues => ({
  url: fc.constant(EVENT_URL),
  events: fc.constantFrom(['instance.error'], ['instance.success', 'schedule.skipped']),
  processID: fc.constantFrom(null, processID),
  before: fc.constant(`2026-11-20T12:00:00.000Z_${processID}`),
});

const MATRIX_VARIABLES = [{ name: 'total', type: 'Moeda', default: '1,5' }];

const wordTexts = fc.stringMatching(/^[A-Za-zÀ-ú0-9]{10,40}$/);

/** For routes whose `matrix` has values by name, all of them optional; in the bodies of other routes `matrix` is a list of variables. */
const NO_VALUES: KnownValues = { matrix: fc.constantFrom({}) };

/** Valid cursors of the feed of audit events, of which none needs to exist. */
const FEED_CURSORS: KnownValues = {
  after: fc.constantFrom(
    '0.0',
    '0.7',
    '0199a000-0000-7000-8000-000000000000.0',
    'ffffffff-ffff-ffff-ffff-ffffffffffff.999999999999999',
  ),
};

const KNOWN_VALUES_BY_ROUTE: Record<string, KnownValues> = {
  'GET /manage/v1/company/audit/feed': FEED_CURSORS,
  'GET /manage/v1/audit/feed': FEED_CURSORS,
  'POST /manage/v1/processes/{pid}/run': NO_VALUES,
  'POST /manage/v1/processes/{pid}/dry-run': NO_VALUES,
  'POST /manage/v1/processes/{pid}/debug': NO_VALUES,
  'POST /manage/v1/processes/{pid}/schedules': NO_VALUES,
  'PATCH /manage/v1/schedules/{id}': NO_VALUES,
  'POST /manage/v1/instances/{iid}/rerun': NO_VALUES,
  // E-mail addresses without an account.
  'POST /manage/v1/companies/{id}/accounts': {
    email: fc.stringMatching(/^[a-z0-9]{12}$/).map((name) => `${name}@test.batuta.local`),
  },
};

async function logInAs(stack: Stack, { email, password }: { email: string; password: string }): Promise<string> {
  const session = `${stack.console}/manage/v1/session`;
  return tokenBodyShape.parse(await expectSuccess('POST', session, { body: { email, password } })).token;
}
