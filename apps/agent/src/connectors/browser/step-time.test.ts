import { StepTime } from './step-time';

afterEach(() => jest.restoreAllMocks());

test('a wait until the execution may act again uses up no time of the step', async () => {
  let passedMs = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => passedMs);
  const time = new StepTime(new AbortController().signal, 10);
  passedMs += 4_000;
  const wait = async () => {
    await Promise.resolve();
    passedMs += 60_000;
  };
  await time.pauseDuring(wait());
  expect(time.limit()).toBe(6_000);
});
