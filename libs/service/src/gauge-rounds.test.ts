import { Metrics } from '@batuta/observability';
import { GaugeRounds } from './gauge-rounds';
import type { PeriodicTasks } from './periodic-tasks';

function addGauges(measure: () => Promise<void>) {
  let task = async () => {};
  const tasks: Pick<PeriodicTasks, 'every'> = {
    every: (_name, _milliseconds, work) => {
      task = work;
      return { stop: async () => {}, runWithin: () => {} };
    },
  };
  const clear = jest.fn();
  const metrics = new Metrics('test');
  new GaugeRounds(Object.assign(tasks), metrics).add('gauges', { measure, clear });
  const age = async () => Number(/^batuta_gauges_age_seconds\S* (\S+)$/m.exec(await metrics.registry.metrics())?.[1]);
  return { round: () => task(), clear, age };
}

test('after a slow round the next rounds are left out so that measuring does not keep the database busy, and a gauge shows the age of the values', async () => {
  const now = jest.spyOn(performance, 'now');
  let time = 0;
  now.mockImplementation(() => time);
  const measure = jest.fn(async () => void (time += 3_000));
  const { round, age } = addGauges(measure);
  await round();
  time = 50_000;
  expect(await age()).toBe(47);
  await round();
  expect(measure).toHaveBeenCalledTimes(1);
  time = 60_000;
  await round();
  expect(measure).toHaveBeenCalledTimes(2);
  now.mockRestore();
});

test('a round that fails forgets the values and fails its task', async () => {
  const { round, clear } = addGauges(() => Promise.reject(new Error('away')));
  await expect(round()).rejects.toThrow('away');
  expect(clear).toHaveBeenCalledTimes(1);
});
