import { ApiError } from '@batuta/errors';
import { startWorld } from '../test/world';
import { createExecution } from './app';
import { readExecutionConfig } from './config';

const opened: { close(): Promise<void> }[] = [];
afterAll(async () => {
  for (const one of opened.toReversed()) await one.close();
});

test('an unknown path of the health port gets the error envelope, which does not name the server software', async () => {
  const world = await startWorld(0);
  opened.push(world);
  const service = await createExecution(readExecutionConfig(world.env));
  opened.push(service);
  const answer = await fetch(new URL('/none', service.url));
  expect([answer.status, await answer.json()]).toEqual([404, new ApiError('NOT_FOUND').toEnvelope()]);
  expect(answer.headers.has('x-powered-by')).toBe(false);
});
