import { ApiError } from '@batuta/errors';
import { LargeAnswers } from '@batuta/http';
import { addProcess } from '../../test/processes';
import { createWorld, type ConsoleWorld } from '../../test/world';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

test.each([[''], ['/matrix'], ['/flow'], ['/versions'], ['/keys']])(
  'an answer of GET /processes/{pid}%s counts against the bytes that the company may have in flight',
  async (path) => {
    const ana = await world.addPerson();
    const pid = await addProcess(ana);
    const admit = jest.spyOn(LargeAnswers.prototype, 'admit').mockImplementation(() => {
      throw new ApiError('RATE_LIMITED', 'not read');
    });
    const refusal = await ana.refusal('GET', `/processes/${pid}${path}`);
    expect([refusal.error, refusal.message]).toEqual(['429 RATE_LIMITED', 'not read']);
    expect(admit.mock.calls.map(([company]) => company)).toEqual([ana.companyID]);
    admit.mockRestore();
  },
);

test('the answer to a login does not count against the bytes in flight, because it is small', async () => {
  const { email, password } = await world.addPerson();
  const admit = jest.spyOn(LargeAnswers.prototype, 'admit');
  await world.logIn(email, password);
  expect(admit).not.toHaveBeenCalled();
  admit.mockRestore();
});
