import { z } from 'zod';
import { startTestMariadb, type TestServer } from '../../../../test/support/servers';
import { waitUntil } from '../../../../test/support/wait-until';
import { processOf } from '../../test/processes';
import { createWorld, type World } from '../../test/world';

let mariadb: TestServer;
let world: World;

beforeAll(async () => {
  mariadb = await startTestMariadb();
  const { url } = mariadb;
  world = await createWorld({}, { url, drop: () => mariadb.stop() });
});

afterAll(() => world?.close());

const health = z.object({ ok: z.boolean(), parts: z.record(z.string(), z.boolean()) });
/** Waits for it: a part that takes seconds to answer counts as away. */
const untilReady = (parts: Record<string, boolean>) =>
  waitUntil(`readiness says ${JSON.stringify(parts)}`, async () => {
    const told = health.parse(await (await fetch(`${world.url}/health/ready`)).json());
    const up = Object.values(parts).every(Boolean);
    return told.ok === up && Object.entries(parts).every(([name, is]) => told.parts[name] === is);
  });

test('without NATS, what needs execution is refused clearly and the rest goes on; both recover', async () => {
  const ana = await world.person();
  const pid = await processOf(ana);
  await world.nats.takeAway();
  await untilReady({ database: true, nats: false });
  expect(await world.operator.refusal('GET', '/companies')).toMatchObject({ error: '503 UNAVAILABLE' });
  expect(await ana.refusal('DELETE', `/processes/${pid}`)).toMatchObject({ error: '503 UNAVAILABLE' });
  expect(await ana.refusal('POST', `/processes/${pid}/run`, {})).toMatchObject({ error: '502 ROUTER_ERROR' });
  expect(await ana.must('GET', `/processes/${pid}`)).toMatchObject({ processID: pid });
  await world.nats.bringBack();
  await waitUntil('execution answers again', async () => {
    const { status } = await world.operator.call('GET', '/companies');
    return status === 200;
  });
  await untilReady({ database: true, nats: true });
});

test('without the database every call is UNAVAILABLE, whichever way it reads; the console recovers', async () => {
  const ana = await world.person();
  await mariadb.takeAway();
  const away = { error: '503 UNAVAILABLE', message: 'The database is away for the moment; try again.' };
  expect(await ana.refusal('GET', '/credentials')).toEqual(away);
  const login = { email: ana.email, password: ana.password };
  expect(await world.anonymous.refusal('POST', '/session', login)).toEqual(away);
  await untilReady({ database: false, nats: true });
  await mariadb.bringBack();
  await waitUntil('the database is found again', async () => (await ana.call('GET', '/credentials')).status === 200);
  await untilReady({ database: true, nats: true });
});
