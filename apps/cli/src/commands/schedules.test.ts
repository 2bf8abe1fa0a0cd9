import { useCliWorld } from '../../test/cli-world';

const ID = '01920000-0000-7000-8000-000000000001';
const ROUTE = `GET /manage/v1/schedules/${ID}/firings`;

const world = useCliWorld();

const firings = (count: number) =>
  Array.from({ length: count }, () => ({
    nominalAt: '2026-11-20T12:00:00.000Z',
    result: 'fired',
    instanceID: ID,
    reason: null,
  }));

test('firings beyond one answer of the console are read page by page', async () => {
  const older = { before: '2026-11-19T12:00:00.000Z' };
  world.api.answers.set(ROUTE, [
    { body: { firings: firings(500), older } },
    { body: { firings: firings(100), older } },
  ]);
  const list = await world.user.json(['schedules', 'firings', ID, '--limit', '600']);
  expect(list).toEqual({ firings: firings(600), older });
  expect(world.api.queries).toEqual(['limit=500', `before=${encodeURIComponent(older.before)}&limit=100`]);
});
