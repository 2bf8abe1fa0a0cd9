import { Metrics } from '@batuta/observability';
import { ExecutionMetrics } from './execution.metrics';

test('lost instances are counted from the start of the service, so that an alert sees also the first ones', async () => {
  const metrics = new Metrics('execution');
  const { values } = await new ExecutionMetrics(metrics).lostInstances.get();
  expect(values).toEqual(['true', 'false'].map((queued) => ({ labels: { queued }, value: 0 })));
  metrics.close();
});
