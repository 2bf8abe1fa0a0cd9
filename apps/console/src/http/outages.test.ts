import { startTestMariadb, startTestNats, type TestServer } from '../../../../test/support/servers';
import { waitUntil } from '../../../../test/support/wait-until';
import { addProcess } from '../../test/processes';
import { createWorld, asRecord, type ConsoleWorld } from '../../test/world';

let mariadb: TestServer;
let nats: TestServer;
let world: ConsoleWorld;

beforeAll(async () => {
  [mariadb, nats] = await Promise.all([startTestMariadb(), startTestNats()]);
  world = await createWorld({}, { mariadb, nats });
});

afterAll(() => world?.close());

/**
 * Waits until the console reports the expected readiness. The wait takes seconds, because a dependency counts as
 * unavailable only after several slow seconds.
 */
const untilReady = (expected: Record<string, boolean>) =>
  waitUntil(`readiness is ${JSON.stringify(expected)}`, async () => {
    const { ok, parts } = asRecord(await (await fetch(`${world.url}/health/ready`)).json());
    const actual = asRecord(parts);
    const up = Object.values(expected).every(Boolean);
    return ok === up && Object.entries(expected).every(([name, is]) => actual[name] === is);
  });

test('without NATS, calls that need execution are refused, other calls succeed, and all recover', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  await nats.kill();
  await untilReady({ database: true, nats: false });
  expect(await world.operator.refusal('GET', '/companies')).toMatchObject({ error: '503 UNAVAILABLE' });
  expect(await ana.refusal('DELETE', `/processes/${pid}`)).toMatchObject({ error: '503 UNAVAILABLE' });
  expect(await ana.refusal('POST', `/processes/${pid}/run`, {})).toMatchObject({ error: '502 ROUTER_ERROR' });
  expect(await ana.must('GET', `/processes/${pid}`)).toMatchObject({ processID: pid });
  await nats.startAgain();
  await waitUntil('execution answers again', async () => {
    const { status } = await world.operator.call('GET', '/companies');
    return status === 200;
  });
  await untilReady({ database: true, nats: true });
});

test('without the database every call is UNAVAILABLE, and the console recovers', async () => {
  const ana = await world.addPerson();
  await mariadb.kill();
  const away = { error: '503 UNAVAILABLE', message: 'The database is away for the moment; try again.' };
  expect(await ana.refusal('GET', '/credentials')).toEqual(away);
  const login = { email: ana.email, password: ana.password };
  expect(await world.anonymous.refusal('POST', '/session', login)).toEqual(away);
  await untilReady({ database: false, nats: true });
  await mariadb.startAgain();
  await waitUntil('the database is found again', async () => (await ana.call('GET', '/credentials')).status === 200);
  await untilReady({ database: true, nats: true });
});
