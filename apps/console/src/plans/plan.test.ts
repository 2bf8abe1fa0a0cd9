import { UNKNOWN_ID } from '../../test/processes';
import { createWorld, listOf, planBody, requireText, type ConsoleWorld } from '../../test/world';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

test('only operators read and change plans', async () => {
  const admin = await world.addPerson({ role: 'administrator' });
  for (const [method, path] of [
    ['POST', '/plans'],
    ['GET', '/plans'],
    ['PATCH', `/plans/${world.planID}`],
  ] as const) {
    const body = method === 'GET' ? undefined : {};
    expect(await admin.refusal(method, path, body)).toEqual({
      error: '403 FORBIDDEN',
      message: 'An account with the role administrator may not do this.',
    });
  }
});

test('a plan is added, listed and changed', async () => {
  const created = await world.operator.must('POST', '/plans', planBody('  Cafe\u0301  '));
  expect(created).toEqual({ id: expect.any(String), createdAt: expect.any(String), ...planBody('Caf\u00e9') });
  const changed = await world.operator.must('PATCH', `/plans/${requireText(created.id)}`, { scheduling: false });
  expect(changed).toEqual({ ...created, scheduling: false });
  expect(listOf(await world.operator.must('GET', '/plans?limit=1'), 'plans')).toEqual([changed]);
});

test('a plan keeps audit events and ledger entries for ever unless it says for how many days', async () => {
  const { auditDays: _a, ledgerDays: _l, ...row } = planBody('For ever');
  const plan = await world.operator.must('POST', '/plans', row);
  expect(plan).toMatchObject({ auditDays: null, ledgerDays: null });
  const path = `/plans/${requireText(plan.id)}`;
  expect(await world.operator.must('PATCH', path, { auditDays: 30, ledgerDays: 3_650 })).toEqual({
    ...plan,
    auditDays: 30,
    ledgerDays: 3_650,
  });
  expect(await world.operator.must('PATCH', path, { auditDays: null })).toEqual({ ...plan, ledgerDays: 3_650 });
});

test('the list of plans continues after the plan that `before` names', async () => {
  await world.operator.must('POST', '/plans', planBody('Older'));
  const newer = await world.operator.must('POST', '/plans', planBody('Newer'));
  const [next] = listOf(await world.operator.must('GET', `/plans?limit=1&before=${requireText(newer.id)}`), 'plans');
  expect(next?.name).toBe('Older');
});

test('two plans never share a name', async () => {
  await world.operator.must('POST', '/plans', planBody('Taken'));
  const duplicate = { error: '409 CONFLICT', message: 'name: another plan has it' };
  expect(await world.operator.refusal('POST', '/plans', planBody('taken'))).toEqual(duplicate);
  expect(await world.operator.refusal('PATCH', `/plans/${world.planID}`, { name: 'Taken' })).toEqual(duplicate);
});

test.each<[string, unknown]>([
  ['name: is required', { name: undefined }],
  ['name: is empty', { name: '   ' }],
  ['name: is longer than 120 characters', { name: 'x'.repeat(121) }],
  ['name: has control characters', { name: 'a\u0000b' }],
  ['name: has control characters', { name: 'a\ud800b' }],
  ['name: must be a text', { name: null }],
  ['apiAccess: must be true or false', { apiAccess: 'true' }],
  ['scheduling: is required', { scheduling: undefined }],
  ['monthlyCredits: must be at least 0', { monthlyCredits: -1 }],
  ['monthlyCredits: must be at most 1000000000', { monthlyCredits: 1_000_000_001 }],
  ['monthlyCredits: must be a whole number', { monthlyCredits: 1.5 }],
  ['monthlyCredits: must be a number', { monthlyCredits: '5' }],
  ['logRetentionDays: must be at least 1', { logRetentionDays: 0 }],
  ['logRetentionDays: must be at most 3650', { logRetentionDays: 3_651 }],
  ['requestsPerMinute: must be at least 1', { requestsPerMinute: 0 }],
  ['requestsPerMinute: must be at most 1000000', { requestsPerMinute: 1_000_001 }],
  ['auditDays: must be at least 30', { auditDays: 29 }],
  ['auditDays: must be at most 3650', { auditDays: 3_651 }],
  ['auditDays: must be a whole number', { auditDays: 30.5 }],
  ['ledgerDays: must be at least 30', { ledgerDays: 0 }],
  ['ledgerDays: must be at most 3650', { ledgerDays: 1e12 }],
  ['ledgerDays: must be a number', { ledgerDays: '30' }],
  ['price: is not a known field', { price: 1 }],
])('a plan is refused with: %s', async (message, change) => {
  const body = { ...planBody('Refused'), ...Object(change) };
  expect(await world.operator.refusal('POST', '/plans', body)).toEqual({ error: '400 BAD_REQUEST', message });
});

test.each<[string, string, unknown, string]>([
  ['an unknown plan', UNKNOWN_ID, { scheduling: true }, '404 NOT_FOUND'],
  ['no id', 'x', { scheduling: true }, '404 NOT_FOUND'],
  ['nothing to change', UNKNOWN_ID, {}, '400 BAD_REQUEST'],
  ['an unknown field', UNKNOWN_ID, { id: UNKNOWN_ID }, '400 BAD_REQUEST'],
])('a change of a plan is refused: %s', async (_, id, body, error) => {
  expect(await world.operator.refusal('PATCH', `/plans/${id}`, body)).toMatchObject({ error });
});

test.each(['limit=0', 'limit=501', 'limit=x', 'limit=1.5', 'before=x', 'limit=1&limit=2', 'page=2'])(
  'the list of plans refuses the query ?%s',
  async (query) => {
    const { error, message } = await world.operator.refusal('GET', `/plans?${query}`);
    expect(error).toBe('400 BAD_REQUEST');
    expect(message).toMatch(/^(limit|before|page): /);
  },
);
