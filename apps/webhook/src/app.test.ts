import { ApiError } from '@batuta/errors';
import { startWorld } from '../test/world';

let world: Awaited<ReturnType<typeof startWorld>> | undefined;
afterAll(() => world?.close());

test('an unknown path of the health port gets the error envelope, which does not name the server software', async () => {
  world = await startWorld();
  const answer = await fetch(new URL('/none', world.metricsURL));
  expect([answer.status, await answer.json()]).toEqual([404, new ApiError('NOT_FOUND').toEnvelope()]);
  expect(answer.headers.has('x-powered-by')).toBe(false);
});
