import { FakeExecution } from '../../test/fake-execution';
import { createWorld, type ConsoleWorld } from '../../test/world';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

test('everybody of a company reads its credits, and only administrators its ledger', async () => {
  const admin = await world.addPerson({ role: 'administrator' });
  const { companyID } = admin;
  const member = await world.addPerson({ companyID });
  world.fakeExecution.balances.set(companyID, 7);
  for (const person of [admin, member]) {
    expect(await person.must('GET', '/credits')).toEqual({ balance: 7, monthly: 100 });
  }
  expect(await admin.must('GET', '/credits/entries')).toEqual({ entries: [FakeExecution.creditEntry] });
  expect(world.fakeExecution.entryRequests.at(-1)).toEqual({ companyID, limit: 100 });
  const period = { from: '2026-11-01T00:00:00Z', to: '2026-12-01T00:00:00Z' };
  await admin.must('GET', `/credits/entries?limit=5&before=9&from=${period.from}&to=${period.to}`);
  expect(world.fakeExecution.entryRequests.at(-1)).toEqual({ companyID, limit: 5, before: 9, ...period });
  const forbidden = { error: '403 FORBIDDEN' };
  expect(await member.refusal('GET', '/credits/entries')).toMatchObject(forbidden);
  expect(await world.operator.refusal('GET', '/credits')).toMatchObject(forbidden);
  for (const query of [
    'before=0',
    'before=x',
    'from=today',
    'to=2026',
    'to=9999-12-31T23:59:59-03:00',
    'company=x',
    'limit=0',
  ]) {
    expect(await admin.refusal('GET', `/credits/entries?${query}`)).toMatchObject({ error: '400 BAD_REQUEST' });
  }
});
