import { useCliWorld } from '../../test/cli-world';
import { refusalAnswer } from '../../test/fake-api';

const world = useCliWorld();

const PID = '01920000-0000-7000-8000-000000000001';

test('an origin that is deleted while the captures of a process are read has none', async () => {
  const { answers } = world.api;
  const origins = ['gone', 'shop'].map((id) => ({ id, name: id }));
  answers.set(`GET /manage/v1/processes/${PID}/origins`, [{ body: { origins } }]);
  answers.set('GET /manage/v1/origins/gone/captures', [refusalAnswer(404, 'NOT_FOUND')]);
  const capture = { id: 'c1', capturedAt: '2026-01-02T03:04:05.000Z', bytes: 2, truncated: false };
  answers.set('GET /manage/v1/origins/shop/captures', [{ body: { captures: [capture] } }]);
  const { status, stdout } = await world.user.run(['captures', 'list', PID, '--json']);
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toEqual({ captures: [{ ...capture, origin: 'shop' }] });
});

test('the captures of a process that the account does not see are refused', async () => {
  const { answers } = world.api;
  answers.set(`GET /manage/v1/processes/${PID}/origins`, [refusalAnswer(404, 'PROCESS_NOT_FOUND')]);
  expect(await world.user.run(['captures', 'list', PID])).toMatchObject({ status: 4 });
});
