import { processOf, sharedWith } from '../../test/processes';
import { createWorld, listOf, type World } from '../../test/world';

let world: World;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

const NONE = { execute: false, edit: false, api: false, schedule: false, delete: false, share: false };

test('the owner shares, changes the share and ends it', async () => {
  const ana = await world.person();
  const bia = await world.person({ name: 'Bia' });
  const pid = await processOf(ana);
  const path = `/processes/${pid}/shares`;
  const put = (permissions: unknown) => ana.must('PUT', `${path}/${bia.email.toUpperCase()}`, permissions);
  const share = (permissions: Record<string, boolean>) => ({
    email: bia.email,
    name: 'Bia',
    permissions: { ...NONE, ...permissions },
  });
  expect(await put({ execute: true, delete: true })).toEqual(share({ execute: true, delete: true }));
  expect(await put({ edit: true })).toEqual(share({ edit: true }));
  expect(await ana.must('GET', path)).toEqual({ shares: [share({ edit: true })] });
  expect(await bia.must('GET', `/processes/${pid}`)).toMatchObject({ owned: false });
  expect(await ana.must('DELETE', `${path}/${bia.email}`)).toEqual({ ok: true });
  expect(await bia.refusal('GET', `/processes/${pid}`)).toMatchObject({ error: '404 PROCESS_NOT_FOUND' });
  expect(await ana.refusal('DELETE', `${path}/${bia.email}`)).toMatchObject({ error: '404 NOT_FOUND' });
});

test('an account with the permission `share` grants only the permissions that it has', async () => {
  const ana = await world.person();
  const pid = await processOf(ana);
  const path = `/processes/${pid}/shares`;
  const bia = await sharedWith(world, ana, pid, { share: true, edit: true });
  const carl = await sharedWith(world, ana, pid, { execute: true });
  const put = (email: string, body: unknown) => bia.refusal('PUT', `${path}/${email}`, body);
  expect(await put(carl.email, { execute: true, delete: true })).toEqual({
    error: '403 FORBIDDEN',
    message: 'delete: only who has this permission grants it',
  });
  expect(await put(bia.email, { share: true, edit: true, execute: true })).toMatchObject({ error: '403 FORBIDDEN' });
  expect(await put(ana.email, {})).toEqual({ error: '400 BAD_REQUEST', message: 'email: is the owner of the process' });
  expect(await bia.must('PUT', `${path}/${carl.email}`, { execute: true, edit: true })).toMatchObject({
    permissions: { ...NONE, execute: true, edit: true },
  });
  expect(listOf(await bia.must('GET', path), 'shares')).toHaveLength(2);
});

test('an e-mail address without an active account of a company is NOT_FOUND, whatever the reason', async () => {
  const admin = await world.person({ role: 'administrator' });
  const blocked = await world.person({ companyID: admin.companyID });
  await admin.must('PATCH', `/accounts/${blocked.id}`, { blocked: true });
  const suspended = await world.person();
  await world.operator.must('PATCH', `/companies/${suspended.companyID}`, { suspended: true });
  const pid = await processOf(admin);
  for (const email of ['nobody@example.com', blocked.email, suspended.email, world.config.OPERATOR_EMAIL]) {
    expect(await admin.refusal('PUT', `/processes/${pid}/shares/${email}`, {})).toEqual({
      error: '404 NOT_FOUND',
      message: 'email: no active account has it',
    });
  }
});

test('the share of a blocked account can still be ended', async () => {
  const admin = await world.person({ role: 'administrator' });
  const member = await world.person({ companyID: admin.companyID });
  const path = `/processes/${await processOf(admin)}/shares/${member.email}`;
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
  const ana = await world.person();
  const pid = await processOf(ana);
  expect(await ana.refusal('PUT', `/processes/${pid}/shares/${email}`, body)).toEqual({
    error: '400 BAD_REQUEST',
    message,
  });
});

test('two concurrent shares with one account become one', async () => {
  const [ana, bia] = await Promise.all([world.person(), world.person()]);
  const path = `/processes/${await processOf(ana)}/shares`;
  await Promise.all(
    [{ edit: true }, { api: true }, {}].map((permissions) => ana.must('PUT', `${path}/${bia.email}`, permissions)),
  );
  expect(listOf(await ana.must('GET', path), 'shares')).toHaveLength(1);
});
