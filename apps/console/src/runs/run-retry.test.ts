import { GREETING_FLOW, addProcess } from '../../test/processes';
import { createWorld, requireText, type ConsoleCaller, type ConsoleWorld } from '../../test/world';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await createWorld({ START_TIMEOUT_MS: '400' });
});

afterAll(() => world?.close());

afterEach(() => {
  world.fakeExecution.unanswered = 0;
  world.fakeWebhook.unanswered = 0;
});

async function pathTo(action: string, owner: ConsoleCaller): Promise<string> {
  const pid = await addProcess(owner);
  if (action === 'run') return `/processes/${pid}/run`;
  await owner.must('PUT', `/processes/${pid}/flow`, GREETING_FLOW);
  const { id } = await owner.must('POST', `/processes/${pid}/origins`, { name: 'Shop' });
  return `/captures/${world.fakeWebhook.addCapture(requireText(id)).id}/${action}`;
}

const fakeFor = (action: string) => (action === 'run' ? world.fakeExecution : world.fakeWebhook);

test.each(['run', 'debug', 'replay'])('a %s without an answer is repeated as the same start', async (action) => {
  const ana = await world.addPerson();
  const path = await pathTo(action, ana);
  const service = fakeFor(action);
  const before = service.starts.length;
  service.unanswered = 1;
  const { instanceID } = await ana.must('POST', path);
  const starts = service.starts.slice(before);
  expect(starts.map(({ resent }) => resent)).toEqual([undefined, true]);
  expect(starts.map((start) => start.instanceID)).toEqual([instanceID, instanceID]);
  expect(new Set(starts.map(({ deadline }) => deadline)).size).toBe(1);
});

test.each(['run', 'debug', 'replay'])('a %s whose outcome nobody can say is UNAVAILABLE', async (action) => {
  const ana = await world.addPerson();
  const path = await pathTo(action, ana);
  const service = fakeFor(action);
  service.unanswered = 1_000;
  expect(await ana.refusal('POST', path)).toMatchObject({ error: '503 UNAVAILABLE' });
  expect(service.starts.at(-1)).toMatchObject({ resent: true });
});
