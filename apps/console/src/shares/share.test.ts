import type { Store } from '@batuta/database';
import { BoundedPool } from '../../../../libs/database/src/bounded-pool';
import { callDuringChange } from '../../../../test/support/call-during-change';
import { callWhileShareEnds } from '../../test/call-while-share-ends';
import { addProcess, addShareHolder } from '../../test/processes';
import { asRecord, createWorld, listOf, type ConsoleWorld, type TestPerson } from '../../test/world';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

const NO_PERMISSIONS = { execute: false, edit: false, api: false, schedule: false, delete: false, share: false };

test('the owner shares, changes the share and ends it', async () => {
  const ana = await world.addPerson();
  const bia = await world.addPerson({ companyID: ana.companyID, name: 'Bia' });
  const pid = await addProcess(ana);
  const path = `/processes/${pid}/shares`;
  const put = (permissions: unknown) => ana.must('PUT', `${path}/${bia.email.toUpperCase()}`, permissions);
  const share = (permissions: Record<string, boolean>) => ({
    email: bia.email,
    name: 'Bia',
    permissions: { ...NO_PERMISSIONS, ...permissions },
  });
  expect(await put({ execute: true, delete: true })).toEqual(share({ execute: true, delete: true }));
  expect(await put({ edit: true })).toEqual(share({ edit: true }));
  expect(await ana.must('GET', path)).toEqual({ shares: [share({ edit: true })] });
  expect(await ana.must('GET', `${path}/${bia.email}`)).toEqual(share({ edit: true }));
  expect(await bia.must('GET', `/processes/${pid}`)).toMatchObject({ owned: false });
  expect(await ana.must('DELETE', `${path}/${bia.email}`)).toEqual({ ok: true });
  expect(await bia.refusal('GET', `/processes/${pid}`)).toMatchObject({ error: '404 PROCESS_NOT_FOUND' });
  expect(await ana.refusal('DELETE', `${path}/${bia.email}`)).toMatchObject({ error: '404 NOT_FOUND' });
  expect(await ana.refusal('GET', `${path}/${bia.email}`)).toMatchObject({ error: '404 NOT_FOUND' });
});

test('shares and invitations are read together page by page, newest first, also those of the same millisecond', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const path = `/processes/${pid}/shares`;
  const [bia, carl] = [await world.addPerson(), await world.addPerson()];
  const invited = ['a', 'b', 'c'].map((name) => `${name}-${pid}@example.com`);
  const emails = [...invited, bia.email, carl.email];
  for (const email of emails) await ana.must('PUT', `${path}/${email}`, { edit: true });
  await world.store.write('UPDATE share_invitation SET created_at = ? WHERE process_id = ?', [new Date(0), pid]);
  await world.store.write('UPDATE process_share SET created_at = ? WHERE process_id = ?', [new Date(1), pid]);
  const pages: unknown[][] = [];
  for (let before = ''; ;) {
    const page = await ana.must('GET', `${path}?limit=2${before}`);
    pages.push(listOf(page, 'shares').map(({ email }) => email));
    if (page.older === undefined) break;
    before = `&before=${encodeURIComponent(String(asRecord(page.older).before))}`;
  }
  const accounts = [bia.email, carl.email].toSorted().toReversed();
  expect(pages).toEqual([accounts, invited.toReversed().slice(0, 2), [invited[0]]]);
  const [email] = invited;
  expect(await ana.must('GET', `${path}/${email}`)).toMatchObject({ email, name: '', permissions: { edit: true } });
  for (const before of ['', 'x', '2026-13-01T00:00:00.000Z_a@example.com', '2026-01-01T00:00:00.000Z_']) {
    expect(await ana.refusal('GET', `${path}?before=${before}`)).toEqual({
      error: '400 BAD_REQUEST',
      message: 'before: must be the text in `older`',
    });
  }
});

test('a page of shares may end with an address of 254 characters outside of the basic plane', async () => {
  const ana = await world.addPerson();
  const path = `/processes/${await addProcess(ana)}/shares`;
  const emails = ['\u{1f600}', '\u{1f601}'].map((letter) => `${letter.repeat(248)}@emoji`);
  for (const email of emails) await ana.must('PUT', `${path}/${encodeURIComponent(email)}`, {});
  const [first, second] = emails.toReversed();
  const newest = await ana.must('GET', `${path}?limit=1`);
  expect(listOf(newest, 'shares')).toMatchObject([{ email: first }]);
  const before = encodeURIComponent(String(asRecord(newest.older).before));
  expect(listOf(await ana.must('GET', `${path}?limit=1&before=${before}`), 'shares')).toMatchObject([
    { email: second },
  ]);
});

test('shares are read only with the permission `share`', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const bia = await addShareHolder(world, ana, pid, { edit: true });
  for (const path of [`/processes/${pid}/shares`, `/processes/${pid}/shares/${bia.email}`]) {
    expect(await bia.refusal('GET', path)).toMatchObject({ error: '403 FORBIDDEN' });
  }
});

test('an account with the permission `share` grants only the permissions that it has', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const path = `/processes/${pid}/shares`;
  const bia = await addShareHolder(world, ana, pid, { share: true, edit: true });
  const carl = await addShareHolder(world, ana, pid, { execute: true });
  const put = (email: string, body: unknown) => bia.refusal('PUT', `${path}/${email}`, body);
  expect(await put(carl.email, { execute: true, delete: true })).toEqual({
    error: '403 FORBIDDEN',
    message: 'delete: only an account with this permission grants it',
  });
  expect(await put(bia.email, { share: true, edit: true, execute: true })).toMatchObject({ error: '403 FORBIDDEN' });
  expect(await bia.must('PUT', `${path}/${carl.email}`, { execute: true, edit: true })).toMatchObject({
    permissions: { ...NO_PERMISSIONS, execute: true, edit: true },
  });
  expect(listOf(await bia.must('GET', path), 'shares')).toHaveLength(2);
});

test('the address of the owner is refused within its company, and looks to other companies like an address without an account', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const shares = `/processes/${pid}/shares`;
  const refused = { error: '400 BAD_REQUEST', message: 'email: is the owner of the process' };
  expect(await ana.refusal('PUT', `${shares}/${ana.email}`, {})).toEqual(refused);
  const bia = await addShareHolder(world, ana, pid, { share: true, edit: true });
  const seen = async (email: string) => {
    const path = `${shares}/${email}`;
    const first = await bia.must('PUT', path, { edit: true });
    await world.logIn(ana.email, ana.password);
    const answers = [first, await bia.must('GET', shares), await bia.must('PUT', path, { share: true })];
    answers.push(await bia.must('GET', path), await bia.must('DELETE', path));
    return JSON.stringify(answers).replaceAll(email, 'address');
  };
  expect(await seen(ana.email)).toBe(await seen(`nobody-${pid}@example.com`));
});

test.each([
  ['makes', 'PUT', { edit: true }],
  ['ends', 'DELETE', undefined],
] as const)(
  'an account whose own share ends while it waits for the lock of the process %s no share',
  async (_, method, body) => {
    const ana = await world.addPerson();
    const pid = await addProcess(ana);
    const bia = await addShareHolder(world, ana, pid, { share: true, edit: true });
    const carl = await addShareHolder(world, ana, pid, { execute: true });
    const path = `/processes/${pid}/shares/${carl.email}`;
    const refusal = await callWhileShareEnds(world, bia, pid, () => bia.refusal(method, path, body));
    expect(refusal).toMatchObject({ error: '404 PROCESS_NOT_FOUND' });
    expect(await ana.must('GET', path)).toMatchObject({ permissions: { ...NO_PERMISSIONS, execute: true } });
  },
);

test('a share reveals neither which e-mail addresses have an account, nor a name of another company', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const path = `/processes/${pid}/shares`;
  const colleague = await world.addPerson({ companyID: ana.companyID, name: 'Bia' });
  const elsewhere = await world.addPerson({ role: 'administrator' });
  const blocked = await world.addPerson({ companyID: elsewhere.companyID });
  await elsewhere.must('PATCH', `/accounts/${blocked.id}`, { blocked: true });
  const suspended = await world.addPerson();
  await world.operator.must('PATCH', `/companies/${suspended.companyID}`, { suspended: true });
  const nobody = `nobody-${ana.id}@example.com`;
  const addresses = [nobody, elsewhere.email, blocked.email, suspended.email, world.config.OPERATOR_EMAIL];
  const answerOf = (email: string) => ({ email, name: '', permissions: { ...NO_PERMISSIONS, execute: true } });
  for (const email of addresses) {
    expect(await ana.must('PUT', `${path}/${email}`, { execute: true })).toEqual(answerOf(email));
    expect(await ana.must('PUT', `${path}/${email}`, { execute: true })).toEqual(answerOf(email));
  }
  expect(await ana.must('PUT', `${path}/${colleague.email}`, {})).toMatchObject({ name: 'Bia' });
  const listed = listOf(await ana.must('GET', path), 'shares');
  expect(listed).toHaveLength(addresses.length + 1);
  expect(listed).toEqual(expect.arrayContaining(addresses.map(answerOf)));
  expect(listOf(await ana.must('GET', `${path}?limit=2`), 'shares')).toHaveLength(2);
  for (const email of addresses) {
    expect(await ana.must('DELETE', `${path}/${email}`)).toEqual({ ok: true });
    expect(await ana.refusal('DELETE', `${path}/${email}`)).toEqual({
      error: '404 NOT_FOUND',
      message: 'email: the process is not shared with it',
    });
  }
});

test('a share takes the same connections to the database whether or not an account of another company has the address', async () => {
  const [ana, elsewhere] = await Promise.all([world.addPerson(), world.addPerson()]);
  const pid = await addProcess(ana);
  const taken = jest.spyOn(BoundedPool.prototype, 'getConnection');
  const connectionsFor = async (email: string) => {
    taken.mockClear();
    await ana.must('PUT', `/processes/${pid}/shares/${email}`, { execute: true });
    return taken.mock.calls.length;
  };
  const withAccount = await connectionsFor(elsewhere.email);
  expect(await connectionsFor(`nobody-${ana.id}@example.com`)).toBe(withAccount);
  taken.mockRestore();
});

test('an account that is added later gets the invitations of its e-mail address at its first login, unless they were withdrawn', async () => {
  const ana = await world.addPerson();
  const [kept, ended, deleted] = [await addProcess(ana), await addProcess(ana), await addProcess(ana)];
  const email = `new-${ana.id}@example.com`;
  for (const pid of [kept, ended, deleted]) await ana.must('PUT', `/processes/${pid}/shares/${email}`, { edit: true });
  await ana.must('DELETE', `/processes/${ended}/shares/${email}`);
  await ana.must('DELETE', `/processes/${deleted}`);
  const account = { email, name: 'New', password: 'a long password' };
  await world.operator.must('POST', `/companies/${await world.addCompany()}/accounts`, account);
  const person = world.client(await world.logIn(email, account.password));
  expect(listOf(await person.must('GET', '/processes'), 'processes')).toEqual([
    expect.objectContaining({ processID: kept, permissions: { ...NO_PERMISSIONS, edit: true } }),
  ]);
  expect(listOf(await ana.must('GET', `/processes/${kept}/shares`), 'shares')).toHaveLength(1);
  expect(await world.store.rows('SELECT 1 FROM share_invitation WHERE email = ?', [email])).toEqual([]);
});

test('an invitation is changed in the same way before and after its address has got an account', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const bia = await addShareHolder(world, ana, pid, { share: true, edit: true });
  const email = `new-${ana.id}@example.com`;
  const path = `/processes/${pid}/shares/${email}`;
  await ana.must('PUT', path, { execute: true });
  const change = () => bia.must('PUT', path, { execute: true, edit: true });
  const before = await change();
  await ana.must('PUT', path, { execute: true });
  const account = { email, name: 'New', password: 'a long password' };
  await world.operator.must('POST', `/companies/${await world.addCompany()}/accounts`, account);
  expect(await change()).toEqual(before);
  expect(listOf(await ana.must('GET', `/processes/${pid}/shares`), 'shares')).toHaveLength(2);
});

test('the share of a blocked account can still be ended', async () => {
  const admin = await world.addPerson({ role: 'administrator' });
  const member = await world.addPerson({ companyID: admin.companyID });
  const path = `/processes/${await addProcess(admin)}/shares/${member.email}`;
  await admin.must('PUT', path, {});
  await admin.must('PATCH', `/accounts/${member.id}`, { blocked: true });
  expect(await admin.must('DELETE', path)).toEqual({ ok: true });
});

test.each<[string, string, unknown]>([
  ['email: is not an e-mail address', 'nobody', {}],
  ['execute: must be true or false', 'nobody@example.com', { execute: 'yes' }],
  ['read: is not a known field', 'nobody@example.com', { read: true }],
  ['body: must be an object', 'nobody@example.com', []],
])('a share is refused with: %s', async (message, email, body) => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  expect(await ana.refusal('PUT', `/processes/${pid}/shares/${email}`, body)).toEqual({
    error: '400 BAD_REQUEST',
    message,
  });
});

test('two concurrent shares with one account become one', async () => {
  const [ana, bia] = await Promise.all([world.addPerson(), world.addPerson()]);
  const path = `/processes/${await addProcess(ana)}/shares`;
  await Promise.all(
    [{ edit: true }, { api: true }, {}].map((permissions) => ana.must('PUT', `${path}/${bia.email}`, permissions)),
  );
  expect(listOf(await ana.must('GET', path), 'shares')).toHaveLength(1);
});

/** Makes a call that waits for the lock of a process, gives the account another address meanwhile, and returns the answer of the call. */
function callDuringChangeOfAddress<Answer>(processID: string, { id }: TestPerson, call: () => Promise<Answer>) {
  const change = async (tx: Store) => {
    await tx.row('SELECT 1 FROM process WHERE process_id = ? FOR UPDATE', [processID]);
    await tx.write('UPDATE account SET email = ? WHERE account_id = ?', [`other-${id}@example.com`, id]);
  };
  return callDuringChange(world.store, change, call);
}

test('an account whose address changes during its login gets no invitation of the address that it had', async () => {
  const [ana, bia] = await Promise.all([world.addPerson(), world.addPerson()]);
  const pid = await addProcess(ana);
  const path = `/processes/${pid}/shares`;
  const email = `invited-${ana.id}@example.com`;
  await ana.must('PUT', `${path}/${email}`, { edit: true });
  await world.operator.must('PUT', `/accounts/${bia.id}/email`, { email });
  await callDuringChangeOfAddress(pid, bia, () => world.logIn(email, bia.password));
  expect(await bia.refusal('GET', `/processes/${pid}`)).toMatchObject({ error: '404 PROCESS_NOT_FOUND' });
  expect(listOf(await ana.must('GET', path), 'shares')).toMatchObject([{ email }]);
});

test('a share for an address that its account loses meanwhile is an invitation', async () => {
  const [ana, bia] = await Promise.all([world.addPerson(), world.addPerson()]);
  const pid = await addProcess(ana);
  const path = `/processes/${pid}/shares`;
  await callDuringChangeOfAddress(pid, bia, () => ana.must('PUT', `${path}/${bia.email}`, { edit: true }));
  expect(await bia.refusal('GET', `/processes/${pid}`)).toMatchObject({ error: '404 PROCESS_NOT_FOUND' });
  expect(listOf(await ana.must('GET', path), 'shares')).toMatchObject([{ email: bia.email }]);
});

test('an account whose new address was invited to a process that is shared with it is in the list of shares once, and its other invitations stay', async () => {
  const [ana, bia] = await Promise.all([world.addPerson(), world.addPerson()]);
  const [shared, invitedOnly, own] = [await addProcess(ana), await addProcess(ana), await addProcess(bia)];
  const email = `new-${bia.email}`;
  const sharesOf = async (owner: TestPerson, pid: string) =>
    listOf(await owner.must('GET', `/processes/${pid}/shares`), 'shares');
  await ana.must('PUT', `/processes/${shared}/shares/${bia.email}`, { execute: true });
  for (const pid of [shared, invitedOnly]) await ana.must('PUT', `/processes/${pid}/shares/${email}`, { edit: true });
  await bia.must('PUT', `/processes/${own}/shares/${email}`, { edit: true });
  await world.operator.must('PUT', `/accounts/${bia.id}/email`, { email });
  expect(await sharesOf(ana, shared)).toMatchObject([{ email, permissions: { execute: true, edit: false } }]);
  expect(await sharesOf(ana, invitedOnly)).toMatchObject([{ email, permissions: { edit: true } }]);
  // Holders of shares in other companies would learn from the end of the invitation who has the address.
  expect(await sharesOf(bia, own)).toMatchObject([{ email, permissions: { edit: true } }]);
});
