import { Metrics } from '@batuta/observability';
import { ExecutionMetrics } from './execution.metrics';

test('lost instances are counted from the start of the service, so that an alert sees also the first ones', async () => {
  const metrics = new Metrics('execution');
  new ExecutionMetrics(metrics);
  const { text } = await metrics.text();
  for (const queued of ['true', 'false']) {
    expect(text).toContain(`batuta_instances_lost_total{queued="${queued}",service="execution"} 0`);
  }
  metrics.close();
});
