import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry, Summary } from 'prom-client';

/** The Prometheus metrics of one service. Each service has its own registry, also when several run in one process. */
export class Metrics {
  readonly registry = new Registry();

  constructor(service: string) {
    this.registry.setDefaultLabels({ service });
    collectDefaultMetrics({ register: this.registry });
  }

  counter<Label extends string>(name: string, help: string, labelNames: Label[] = []): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  /** A gauge whose value is read at every scrape. */
  gauge(name: string, help: string, read: () => number | Promise<number>): Gauge {
    return new Gauge({
      name,
      help,
      registers: [this.registry],
      async collect() {
        this.set(await read());
      },
    });
  }

  /** A gauge that the service sets, with one value for each combination of labels. */
  gauges<Label extends string>(name: string, help: string, labelNames: Label[]): Gauge<Label> {
    return new Gauge({ name, help, labelNames, registers: [this.registry] });
  }

  summary(name: string, help: string): Summary {
    return new Summary({ name, help, registers: [this.registry] });
  }

  /** A histogram of durations in seconds. */
  histogram<Label extends string>(name: string, help: string, labelNames: Label[] = []): Histogram<Label> {
    const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
    return new Histogram({ name, help, labelNames, buckets, registers: [this.registry] });
  }

  /** Stops the timers and observers of the default metrics. */
  close(): void {
    this.registry.clear();
  }
}
