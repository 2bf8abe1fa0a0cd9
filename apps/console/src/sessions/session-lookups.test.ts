import { hashSecret } from '@batuta/auth';
import { Store } from '@batuta/database';
import { createWorld, type ConsoleWorld } from '../../test/world';
import { SessionLookups } from './session-lookups';

let world: ConsoleWorld;
let rows: jest.SpyInstance<Promise<unknown[]>>;

beforeAll(async () => {
  world = await createWorld();
});

beforeEach(() => {
  rows = jest.spyOn(Store.prototype, 'rows');
});

afterEach(() => rows.mockRestore());

afterAll(() => world?.close());

test('the calls of one turn of the event loop share a statement, and each gets the account of its own session', async () => {
  const [ana, bia] = await Promise.all([world.addPerson(), world.addPerson()]);
  const lookups = new SessionLookups(world.store);
  rows.mockClear();
  const lookedUp = [ana, bia, ana, bia, ana].map((person) => lookups.callerOfToken(person.token));
  const callers = await Promise.all(lookedUp);
  expect(callers.map(({ accountID }) => accountID)).toEqual([ana.id, bia.id, ana.id, bia.id, ana.id]);
  expect(callers[1]?.tokenHash).toEqual(hashSecret(bia.token));
  expect(rows.mock.contexts.filter((store) => store === world.store)).toHaveLength(1);
});

test('a session that does not exist is refused, and the other calls of its statement are not', async () => {
  const ana = await world.addPerson();
  const lookups = new SessionLookups(world.store);
  const answers = await Promise.allSettled([lookups.callerOfToken('bls_unknown'), lookups.callerOfToken(ana.token)]);
  expect(answers).toMatchObject([
    { status: 'rejected', reason: { code: 'INVALID_CREDENTIAL' } },
    { status: 'fulfilled', value: { accountID: ana.id } },
  ]);
});

test.each([
  [
    'bat_live_s3cret',
    /account credential \(bat_live_…\), .* of the external API; send the token of a login session \(bls_…\)$/,
  ],
  ['bpk_s3cret', /process key \(bpk_…\), which belongs in X-Process-Key; send the token of a login session \(bls_…\)$/],
  ['bls_s3cret', /^The session token is not known; log in again\.$/],
])(
  'the secret %s as session token is refused by its kind, and with nothing else of its value',
  async (secret, message) => {
    const refused = new SessionLookups(world.store).callerOfToken(secret);
    await expect(refused).rejects.toMatchObject({
      code: 'INVALID_CREDENTIAL',
      message: expect.stringMatching(message),
    });
    await expect(refused).rejects.not.toThrow('s3cret');
  },
);

test('a session that ended is refused by the next call', async () => {
  const ana = await world.addPerson();
  const lookups = new SessionLookups(world.store);
  await lookups.callerOfToken(ana.token);
  await world.store.write('DELETE FROM login_session WHERE token_hash = ?', [hashSecret(ana.token)]);
  await expect(lookups.callerOfToken(ana.token)).rejects.toMatchObject({ code: 'INVALID_CREDENTIAL' });
});
