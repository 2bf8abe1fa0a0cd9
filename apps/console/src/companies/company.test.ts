import { v7 as uuid } from 'uuid';
import { UNKNOWN_ID } from '../../test/processes';
import { createWorld, listOf, planBody, requireText, type ConsoleWorld } from '../../test/world';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

test('only operators read and change companies', async () => {
  const admin = await world.addPerson({ role: 'administrator' });
  expect(await admin.refusal('POST', '/companies', {})).toMatchObject({ error: '403 FORBIDDEN' });
  expect(await admin.refusal('GET', '/companies')).toMatchObject({ error: '403 FORBIDDEN' });
  const own = `/companies/${admin.companyID}`;
  expect(await admin.refusal('PATCH', own, { credits: 1_000 })).toMatchObject({ error: '403 FORBIDDEN' });
});

test('a company is added, listed with its credits and changed', async () => {
  const body = { name: 'Acme', planId: world.planID.toUpperCase() };
  const created = await world.operator.must('POST', '/companies', body);
  expect(created).toMatchObject({ name: 'Acme', planId: world.planID, suspended: false });
  const id = requireText(created.id);
  const changed = await world.operator.must('PATCH', `/companies/${id}`, { credits: 42, suspended: true });
  expect(changed).toEqual({ ...created, credits: 42, suspended: true });
  expect(world.fakeExecution.balances.get(id)).toBe(42);
  expect(listOf(await world.operator.must('GET', '/companies?limit=1'), 'companies')).toEqual([changed]);
});

test('the audit event of a company names its plan', async () => {
  const { id: planId, name } = await world.operator.must('POST', '/plans', planBody('Gold'));
  const added = await world.operator.must('POST', '/companies', { name: 'Acme', planId });
  const admin = await world.addPerson({ role: 'administrator', companyID: requireText(added.id) });
  await world.operator.must('PATCH', `/companies/${admin.companyID}`, { planId, suspended: false });
  expect(listOf(await admin.must('GET', '/company/audit'), 'events')).toMatchObject([
    { action: 'company.change', detail: { plan: name, suspended: false } },
    { action: 'company.add', detail: { name: 'Acme', plan: name } },
  ]);
});

test.each<[string, unknown, string]>([
  ['no name', { planId: UNKNOWN_ID }, 'name: is required'],
  ['no plan', { name: 'A' }, 'planId: is required'],
  ['something that is no id', { name: 'A', planId: '7' }, 'planId: is not an id'],
  ['an unknown plan', { name: 'A', planId: UNKNOWN_ID }, 'planId: no such plan'],
  ['an unknown field', { name: 'A', planId: UNKNOWN_ID, credits: 1 }, 'credits: is not a known field'],
])('a company with %s is refused', async (_, body, message) => {
  expect(await world.operator.refusal('POST', '/companies', body)).toEqual({ error: '400 BAD_REQUEST', message });
});

test.each<[string, unknown, string]>([
  ['an unknown plan', { planId: UNKNOWN_ID }, '400 BAD_REQUEST'],
  ['credits below zero', { credits: -1 }, '400 BAD_REQUEST'],
  ['half a credit', { credits: 0.5 }, '400 BAD_REQUEST'],
  ['more credits than there may be', { credits: 1_000_000_001 }, '400 BAD_REQUEST'],
  ['a suspension that is no boolean', { suspended: 1 }, '400 BAD_REQUEST'],
  ['a name', { name: 'B' }, '400 BAD_REQUEST'],
  ['nothing', {}, '400 BAD_REQUEST'],
])('a change of a company to %s is refused', async (_, body, error) => {
  expect(await world.operator.refusal('PATCH', `/companies/${await world.addCompany()}`, body)).toMatchObject({
    error,
  });
});

test('an operator sets or adds credits with a reason, and nobody else', async () => {
  const admin = await world.addPerson({ role: 'administrator' });
  const credits = `/companies/${admin.companyID}/credits`;
  const correction = { id: uuid(), how: 'set', amount: 10, reason: '<b>Goodwill</b>' };
  expect(await world.operator.must('POST', credits, correction)).toEqual({ credits: 10 });
  const added = { id: uuid(), how: 'add', amount: -3, reason: 'Typing error' };
  expect(await world.operator.must('POST', credits, added)).toEqual({ credits: 7 });
  const common = {
    companyID: admin.companyID,
    operatorID: expect.any(String),
    sessionHash: expect.stringMatching(/^[0-9a-f]{64}$/),
  };
  expect(world.fakeExecution.corrections).toEqual([
    { ...common, id: correction.id, credits: 10, reason: '<b>Goodwill</b>' },
    { ...common, id: added.id, add: -3, reason: 'Typing error' },
  ]);
  expect(await admin.refusal('POST', credits, correction)).toMatchObject({ error: '403 FORBIDDEN' });
  for (const change of [{ how: 'take' }, { amount: 0.5 }, { amount: '1' }, { reason: '' }, { id: 'x' }]) {
    const body = { ...added, ...change };
    expect(await world.operator.refusal('POST', credits, body)).toMatchObject({ error: '400 BAD_REQUEST' });
  }
});

test('a change of an unknown company is NOT_FOUND, and no credits are booked for it', async () => {
  expect(await world.operator.refusal('PATCH', `/companies/${UNKNOWN_ID}`, { credits: 5 })).toMatchObject({
    error: '404 NOT_FOUND',
  });
  expect(world.fakeExecution.balances.has(UNKNOWN_ID)).toBe(false);
});
