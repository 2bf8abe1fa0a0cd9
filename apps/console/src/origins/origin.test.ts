import { ApiError } from '@batuta/errors';
import { UNKNOWN_ID, addProcess } from '../../test/processes';
import { createWorld, listOf, requireText, type ConsoleWorld } from '../../test/world';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

afterEach(() => {
  world.fakeWebhook.refusal = undefined;
});

const requestOf = (name: string) => world.fakeWebhook.requests.findLast(([each]) => each === name)?.[1];
const SIGNATURE_RULE = { header: 'X-Hub-Signature-256', secret: ' s3cret ', toleranceSeconds: 300 };

test('an origin is created with the defaults, and its URLs are those of the gateway', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const created = await ana.call('POST', `/processes/${pid}/origins`, { name: '  Payments ' });
  const draft = { name: 'Payments', responseMode: 'Imediata', waitSeconds: 30, enabled: true, signature: null };
  expect(requestOf('create')).toEqual(draft);
  const [origin] = (await world.fakeWebhook.list({ processID: pid })).origins;
  const hooks = `https://api.example.com/batuta/v1/hooks/${pid}`;
  expect([created.status, created.body]).toEqual([
    201,
    {
      id: origin?.id,
      processID: pid,
      ...draft,
      devUrl: `${hooks}/${origin?.devToken}`,
      prodUrl: `${hooks}/${origin?.prodToken}`,
      createdAt: origin?.createdAt,
    },
  ]);
  expect(await ana.must('GET', `/processes/${pid}/origins`)).toEqual({ origins: [created.body] });
});

test('every field of an origin can be set, and no answer contains the secret of its signature', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const chosen = { name: 'Chat', responseMode: 'Aguardar', waitSeconds: 120, enabled: false };
  const created = await ana.must('POST', `/processes/${pid}/origins`, { ...chosen, signature: SIGNATURE_RULE });
  expect(requestOf('create')).toEqual({ ...chosen, signature: SIGNATURE_RULE });
  const rule = { header: SIGNATURE_RULE.header, toleranceSeconds: 300 };
  expect(created).toMatchObject({ ...chosen, signature: rule });
  const [listed] = listOf(await ana.must('GET', `/processes/${pid}/origins`), 'origins');
  expect(listed).toMatchObject({ signature: rule });
  const changed = await ana.must('PATCH', `/origins/${requireText(created.id)}`, {
    signature: { header: 'Stripe-Signature', secret: 'other' },
  });
  expect(requestOf('change')).toEqual({
    signature: { header: 'Stripe-Signature', secret: 'other', toleranceSeconds: null },
  });
  expect(changed).toMatchObject({ signature: { header: 'Stripe-Signature', toleranceSeconds: null } });
  expect(JSON.stringify([created, listed, changed])).not.toMatch(/s3cret|other/);
});

test('a change of an origin forwards the fields that it names and keeps the others', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const created = await ana.must('POST', `/processes/${pid}/origins`, { name: 'Shop', signature: SIGNATURE_RULE });
  const path = `/origins/${requireText(created.id)}`;
  for (const change of [
    { name: 'Loja' },
    { responseMode: 'Aguardar' },
    { waitSeconds: 1 },
    { enabled: false },
    { signature: null },
  ]) {
    expect(await ana.must('PATCH', path, change)).toEqual(Object.assign(created, change));
    expect(requestOf('change')).toEqual(change);
  }
});

test.each<[string, Record<string, unknown>]>([
  ['name: is empty', { name: '  ' }],
  ['name: is longer than 120 characters', { name: 'x'.repeat(121) }],
  ['name: has control characters', { name: 'a\nb' }],
  ['name: must be a text', { name: 1 }],
  ['responseMode: must be one of Imediata, Aguardar', { responseMode: 'imediata' }],
  ['waitSeconds: must be at least 1', { waitSeconds: 0 }],
  ['waitSeconds: must be at most 120', { waitSeconds: 121 }],
  ['waitSeconds: must be a whole number', { waitSeconds: 1.5 }],
  ['waitSeconds: must be a number', { waitSeconds: '30' }],
  ['enabled: must be true or false', { enabled: 'sim' }],
  ['signature: must be an object', { signature: 'sha256' }],
  ['signature.header: is required', { signature: { secret: 'a' } }],
  ['signature.header: is no name of a header', { signature: { ...SIGNATURE_RULE, header: 'X Signature' } }],
  ['signature.header: is no name of a header', { signature: { ...SIGNATURE_RULE, header: '' } }],
  ['signature.secret: is required', { signature: { header: 'X-Signature' } }],
  ['signature.secret: is empty', { signature: { ...SIGNATURE_RULE, secret: '' } }],
  ['signature.secret: is longer than 200 characters', { signature: { ...SIGNATURE_RULE, secret: 'x'.repeat(201) } }],
  ['signature.toleranceSeconds: must be at least 1', { signature: { ...SIGNATURE_RULE, toleranceSeconds: 0 } }],
  ['signature.toleranceSeconds: must be at most 86400', { signature: { ...SIGNATURE_RULE, toleranceSeconds: 86_401 } }],
  ['signature.algorithm: is not a known field', { signature: { ...SIGNATURE_RULE, algorithm: 'sha1' } }],
  ['token: is not a known field', { token: 'bwh_mine' }],
])('a new origin and a change of an origin are refused with: %s', async (message, fields) => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const refused = { error: '400 BAD_REQUEST', message };
  expect(await ana.refusal('POST', `/processes/${pid}/origins`, { name: 'Shop', ...fields })).toEqual(refused);
  expect(await ana.must('GET', `/processes/${pid}/origins`)).toEqual({ origins: [] });
  const created = await ana.must('POST', `/processes/${pid}/origins`, { name: 'Shop' });
  expect(await ana.refusal('PATCH', `/origins/${requireText(created.id)}`, fields)).toEqual(refused);
});

test('an origin needs a name, and a change of an origin at least one field', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const { id } = await ana.must('POST', `/processes/${pid}/origins`, { name: 'x'.repeat(120) });
  expect(await ana.refusal('POST', `/processes/${pid}/origins`)).toMatchObject({ message: 'name: is required' });
  expect(await ana.refusal('PATCH', `/origins/${requireText(id)}`, {})).toMatchObject({
    message: 'body: has no field to change',
  });
});

test('a refusal of the webhook service to create an origin is passed on', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  world.fakeWebhook.refusal = new ApiError('CONFLICT', 'The process has 10 origins, which is the most.');
  expect(await ana.refusal('POST', `/processes/${pid}/origins`, { name: 'Eleventh' })).toEqual({
    error: '409 CONFLICT',
    message: 'The process has 10 origins, which is the most.',
  });
});

test('the rotation of a URL of an origin returns the new URL and not the other one', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const created = await ana.must('POST', `/processes/${pid}/origins`, { name: 'Shop' });
  const path = `/origins/${requireText(created.id)}/rotate`;
  const dev = await ana.must('POST', path, { url: 'dev' });
  const prod = await ana.must('POST', path, { url: 'prod' });
  expect([Object.keys(dev), Object.keys(prod)]).toEqual([['devUrl'], ['prodUrl']]);
  expect(new Set([created.devUrl, created.prodUrl, dev.devUrl, prod.prodUrl]).size).toBe(4);
  expect(await ana.must('GET', `/processes/${pid}/origins`)).toEqual({ origins: [{ ...created, ...dev, ...prod }] });
});

test.each<[string, unknown]>([
  ['url: is required', {}],
  ['url: must be one of dev, prod', { url: 'both' }],
  ['id: is not a known field', { url: 'dev', id: UNKNOWN_ID }],
])('the rotation of a URL of an origin is refused with: %s', async (message, body) => {
  const ana = await world.addPerson();
  const created = await ana.must('POST', `/processes/${await addProcess(ana)}/origins`, { name: 'Shop' });
  const refused = { error: '400 BAD_REQUEST', message };
  expect(await ana.refusal('POST', `/origins/${requireText(created.id)}/rotate`, body)).toEqual(refused);
});

test('a deleted origin is NOT_FOUND', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const { id } = await ana.must('POST', `/processes/${pid}/origins`, { name: 'Shop' });
  expect(await ana.must('DELETE', `/origins/${requireText(id)}`)).toEqual({ ok: true });
  expect(await ana.must('GET', `/processes/${pid}/origins`)).toEqual({ origins: [] });
  expect(await ana.refusal('DELETE', `/origins/${requireText(id)}`)).toMatchObject({ error: '404 NOT_FOUND' });
});
