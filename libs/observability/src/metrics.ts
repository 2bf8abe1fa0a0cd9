import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry, Summary, type LabelValues } from 'prom-client';

/** Upper bounds in seconds of the histogram buckets for calls, which end within seconds. */
const CALL_SECONDS_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Upper bounds in seconds of the histogram buckets for waits that may take hours, such as the wait for an agent. */
export const WAIT_SECONDS_BUCKETS = [...CALL_SECONDS_BUCKETS, 30, 60, 300, 900, 3_600, 14_400];
/** Upper bounds of the histogram buckets for the number of items in a batch. */
export const BATCH_ITEMS_BUCKETS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000];

/** A histogram whose observations may carry the id of their trace, as exemplars. */
export class HistogramWithExemplars<Label extends string> {
  constructor(
    private readonly histogram: Histogram<Label>,
    private readonly exemplars: boolean,
  ) {}

  observe(labels: LabelValues<Label>, value: number, traceId?: string): void {
    if (!this.exemplars) this.histogram.observe(labels, value);
    else {
      const exemplarLabels = traceId === undefined ? undefined : { trace_id: traceId };
      // The library's types know only exemplars with the labels of the metric.
      Object(this.histogram).observe({ labels, value, exemplarLabels });
    }
  }
}

/** The Prometheus metrics of one service. Each service has its own registry, also when several run in one process. */
export class Metrics {
  readonly registry: Registry;

  /** With `exemplars`, observations carry the id of their trace, and the format is OpenMetrics, which older collectors cannot read. */
  constructor(
    service: string,
    private readonly options: { exemplars?: boolean } = {},
  ) {
    // The library's type of a registry allows no change of its format.
    this.registry = new Registry();
    if (options.exemplars) Object(this.registry).setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
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

  /** A histogram, by default of the durations of calls in seconds. */
  histogram<Label extends string>(
    name: string,
    help: string,
    labelNames: Label[] = [],
    buckets: readonly number[] = CALL_SECONDS_BUCKETS,
  ): HistogramWithExemplars<Label> {
    const { exemplars = false } = this.options;
    const shared = { name, help, labelNames, buckets: [...buckets], registers: [this.registry] };
    return new HistogramWithExemplars(new Histogram({ ...shared, enableExemplars: exemplars }), exemplars);
  }

  /** The text of all metrics, and its format. */
  async text(): Promise<{ text: string; contentType: string }> {
    return { text: await this.registry.metrics(), contentType: this.registry.contentType };
  }

  /** Empties the registry, which holds functions that read the parts of a closed service. */
  close(): void {
    this.registry.clear();
  }
}
