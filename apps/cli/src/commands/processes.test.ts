import { useCliWorld } from '../../test/cli-world';

const PROCESS = '01920000-0000-7000-8000-000000000001';

const world = useCliWorld();

test.each(['', ' ', '12,50', '0x10', 'free'])(
  'the operator cost %j is wrong usage, and changes nothing',
  async (cost) => {
    const { status, stderr } = await world.user.run(['processes', 'change', PROCESS, '--operator-cost', cost]);
    expect([status, stderr]).toEqual([2, 'batuta: --operator-cost: must be a number such as 42.50\n']);
    expect(world.api.calls).toEqual([]);
  },
);

test('an operator cost with decimals is sent as a number', async () => {
  world.api.answers.set(`PATCH /manage/v1/processes/${PROCESS}`, [{ body: { processID: PROCESS } }]);
  expect(await world.user.run(['processes', 'change', PROCESS, '--operator-cost', '42.5'])).toMatchObject({
    status: 0,
  });
  expect(world.api.calls[0]?.body).toBe('{"avgOperatorCost":42.5}');
});

test('a process is found by its name in any form of Unicode, such as that of a name that was copied from macOS', async () => {
  const processName = 'Pedidos São Paulo';
  world.api.answers.set('GET /manage/v1/processes', [{ body: { processes: [{ processID: PROCESS, processName }] } }]);
  world.api.answers.set(`GET /manage/v1/processes/${PROCESS}`, [{ body: { processID: PROCESS } }]);
  expect(await world.user.run(['processes', 'show', processName.normalize('NFD')])).toMatchObject({ status: 0 });
});
