import type { INestMicroservice } from '@nestjs/common';
import { takeNatsUser } from '../../../test/support/servers';
import { waitUntil } from '../../../test/support/wait-until';
import { startReplica, TEST_SUBJECTS } from '../test/replica';
import { Rpc } from '.';

/** A long time limit, because a busy machine may take seconds to reply. */
const LONG_TIME_LIMIT_OPTIONS = { timeout: 30_000 };
const TENANTS = Array.from({ length: 20 }, (_, number) => `company-${number}`);

let rpcClient: Rpc;
let apps: Map<string, INestMicroservice>;

beforeEach(async () => {
  // The clock stands still. On a busy machine an announced replica would otherwise be forgotten, or a tenant would
  // return to a replica that it avoids, during a test.
  jest.spyOn(performance, 'now').mockReturnValue(performance.now());
  const url = await takeNatsUser();
  apps = new Map();
  for (const name of ['a', 'b']) apps.set(name, await startReplica(url, name));
  rpcClient = await Rpc.connect(url, 'test');
  await rpcClient.call(TEST_SUBJECTS.handler, {}, LONG_TIME_LIMIT_OPTIONS);
});

afterEach(async () => {
  jest.restoreAllMocks();
  await rpcClient.close();
  await Promise.all([...apps.values()].map((app) => app.close()));
});

const handlerOf = async (tenant: string) =>
  (await rpcClient.call(TEST_SUBJECTS.handler, {}, { ...LONG_TIME_LIMIT_OPTIONS, tenant })).replica;
const handlersOf = (tenants: string[]) => Promise.all(tenants.map(handlerOf));

/** Resolves when the requests of each tenant go to one replica, which two rounds at random do once in a million times. */
async function announceBoth(): Promise<void> {
  for (const replica of apps.keys()) rpcClient.notify(TEST_SUBJECTS.replica, { replica });
  await waitUntil('the notifications have arrived', async () => {
    const [first, second] = [await handlersOf(TENANTS), await handlersOf(TENANTS)];
    return new Set(first).size === apps.size && first.join() === second.join();
  });
}

test('before replicas have announced themselves, any of them handles the requests of a tenant', async () => {
  const handlers = await handlersOf(Array.from({ length: 60 }, () => 'company'));
  expect(new Set(handlers)).toEqual(new Set(['a', 'b']));
});

test('the requests of a tenant go to one replica, and those of many tenants to every replica', async () => {
  await announceBoth();
  const first = await handlersOf(TENANTS);
  expect(new Set(first)).toEqual(new Set(['a', 'b']));
  for (let round = 0; round < 3; round += 1) expect(await handlersOf(TENANTS)).toEqual(first);
});

test('requests without a tenant go to any replica', async () => {
  await announceBoth();
  const calls = Array.from({ length: 60 }, () => rpcClient.call(TEST_SUBJECTS.handler, {}, LONG_TIME_LIMIT_OPTIONS));
  const handlers = (await Promise.all(calls)).map(({ replica }) => replica);
  expect(new Set(handlers)).toEqual(new Set(['a', 'b']));
});

test('the request of a tenant whose replica has stopped is handled by another one, without an error', async () => {
  await announceBoth();
  await apps.get('a')?.close();
  expect(new Set(await handlersOf(TENANTS))).toEqual(new Set(['b']));
});

test('after a replica refused a request of a tenant as unavailable, any replica handles the requests of that tenant', async () => {
  await announceBoth();
  const handlers = await handlersOf(TENANTS);
  const refused = rpcClient.call(
    TEST_SUBJECTS.handler,
    { refused: true },
    { ...LONG_TIME_LIMIT_OPTIONS, tenant: 'company-0' },
  );
  await expect(refused).rejects.toMatchObject({ code: 'UNAVAILABLE', message: `by ${handlers[0]}` });
  const after = await handlersOf(Array.from({ length: 60 }, () => 'company-0'));
  expect(new Set(after)).toEqual(new Set(['a', 'b']));
  expect(await handlersOf(TENANTS.slice(1))).toEqual(handlers.slice(1));
});

test('after a replica did not reply in time, another one handles the requests of that tenant, and those of other tenants stay', async () => {
  await announceBoth();
  const [silent, ...others] = await handlersOf(TENANTS);
  const late = rpcClient.call(TEST_SUBJECTS.neverByTenant, {}, { timeout: 50, tenant: 'company-0' });
  await expect(late).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(new Set(await handlersOf(['company-0', 'company-0']))).not.toContain(silent);
  expect(await handlersOf(TENANTS.slice(1))).toEqual(others);
});
