import * as fc from 'fast-check';
import * as s from '../support/shape';
import { expectSuccess } from '../e2e/support/api';
import { makeCompany, makeOwner, makeProcess } from '../e2e/support/factories';
import { instanceOf } from '../e2e/support/instances';
import { captureOf, makeOrigin, send } from '../e2e/support/webhooks';
import type { Stack } from '../e2e/support/stack';
import type { Operation } from './document';
import type { KnownValues } from './requests';
import { Secrets } from './secrets';

export const LOGOUT = 'DELETE /manage/v1/session';

export interface ConsoleWorld {
  secrets: Secrets;
  given: (operation: Operation) => { known: KnownValues; credentials: [name: string, value: string][] };
}

const withToken = s.object({ token: s.text() });
const variables = s.object({ matrix: s.list(s.object({ id: s.text() })) });
const accountList = s.object({ accounts: s.list(s.object({ id: s.text(), email: s.text() })) });

/** An operator, and the administrator of a company with a process. Destructive routes get ids of another company. */
export async function makeConsoleWorld(stack: Stack): Promise<ConsoleWorld> {
  const company = await makeCompany(stack);
  const [owner, other] = await Promise.all([
    makeOwner(stack, { company, role: 'administrator' }),
    makeOwner(stack, { company }),
  ]);
  const [process, elsewhere] = [await makeProcess(stack, { owner, matrix: TOTAL }), await makeCompany(stack)];
  // An origin of a second process, whose Matrix no request replaces: mappings refer to its variables.
  const origin = await makeOrigin(await makeProcess(stack, { owner, matrix: TOTAL }), { mapping: { total: '/total' } });
  const mapped = variables.parse(await owner.manage('GET', `/processes/${origin.process.processID}/matrix`));
  const { accounts } = accountList.parse(await owner.manage('GET', '/accounts'));
  const otherID = accounts.find(({ email }) => email === other.email)?.id ?? '';
  const instanceID = instanceOf(await process.start());
  const schedule = { processID: process.processID, name: 'Yearly', cronExpression: '0 8 1 1 *' };
  const known: KnownValues = {
    iid: fc.constant(instanceID),
    // Keeps manual runs possible.
    active: fc.constant(true),
    offlineFlow: fc.constant(true),
    pid: fc.constant(process.processID),
    environmentID: fc.constant(process.environment.environmentID),
    planId: fc.constant(company.planID),
    email: fc.constant(other.email),
    key: fc.stringMatching(/^[A-Z][A-Z0-9_]{0,20}$/),
    ...Object.fromEntries(
      ['name', 'processName', 'identifier', 'label', 'value', 'password', 'newPassword'].map((name) => [name, words]),
    ),
    os: fc.constantFrom('linux', 'windows'),
    envType: fc.constantFrom('prod', 'test'),
    expiresAt: fc.constantFrom(null, '2099-01-31T00:00:00Z'),
    avgHumanTime: fc.constantFrom('00:00:00', '12:34:56'),
    matrix: fc.constantFrom([], TOTAL),
    pointer: fc.constantFrom('', '/total', '/_query/shop', '/items/0/~1'),
    variableId: fc.constantFrom(...mapped.matrix.map(({ id }) => id)),
    cronExpression: fc.constantFrom('0 8 29 2 *', '*/5 3 1 1 MON'),
  };
  const secrets = new Secrets();
  const hiddenHeaders = Object.fromEntries(
    ['Authorization', 'Cookie', 'X-Api-Key', 'X-Auth-Token', 'Api-Key'].map((name) => [
      name,
      secrets.make(`the header ${name} of a capture`),
    ]),
  );
  const idOf: Record<string, string> = {
    plans: company.planID,
    companies: elsewhere.companyID,
    accounts: otherID,
    environments: process.environment.environmentID,
    origins: origin.id,
    captures: captureOf(await send(origin.devUrl, { total: '1,5' }, hiddenHeaders)),
    schedules: await owner.client.schedules.create(process.processKey, schedule),
  };
  const logIn = { email: fc.constant(owner.email), password: fc.constant(owner.password) };
  secrets.keep('a password', owner.password);
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
  const bearers = { operator: await tokenOf(stack, stack.operator), owner: await tokenOf(stack, owner) };
  const ending = secrets.keep('the token of a session that ends', await tokenOf(stack, owner));
  secrets.keep('the token of a session', bearers.owner);
  secrets.keep("the token of the operator's session", bearers.operator);
  return {
    secrets,
    given: ({ name, method, path, description }) => {
      const noun = path.split('/')[3] ?? '';
      const id = idOf[noun];
      const bearer = String(description).includes('For operators') ? bearers.operator : bearers.owner;
      return {
        credentials: [['Authorization', `Bearer ${name === LOGOUT ? ending : bearer}`]],
        known: {
          ...known,
          ...(id === undefined ? {} : { id: fc.constant(id) }),
          ...(method === 'DELETE' ? { id: fc.uuid(), pid: fc.uuid() } : {}),
          ...(name === 'POST /manage/v1/session' ? logIn : knownOf[name]),
        },
      };
    },
  };
}

const TOTAL = [{ name: 'total', type: 'Moeda', default: '1,5' }];

const words = fc.stringMatching(/^[A-Za-zÀ-ú0-9]{10,40}$/);

const knownOf: Record<string, KnownValues> = {
  'POST /manage/v1/processes/{pid}/run': { matrix: fc.constantFrom({}) },
  // Emails without an account.
  'POST /manage/v1/companies/{id}/accounts': {
    email: fc.stringMatching(/^[a-z0-9]{12}$/).map((name) => `${name}@test.batuta.local`),
  },
};

async function tokenOf(stack: Stack, { email, password }: { email: string; password: string }): Promise<string> {
  const session = `${stack.console}/manage/v1/session`;
  return withToken.parse(await expectSuccess('POST', session, { body: { email, password } })).token;
}
