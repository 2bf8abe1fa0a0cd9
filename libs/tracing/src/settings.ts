import type { Sampler } from './sampling';

/** The standard variables of OpenTelemetry that are read; the exporter itself reads further ones, such as certificates. */
export interface TraceSettings {
  /** The address of the collector; without it tracing is off. */
  OTEL_EXPORTER_OTLP_ENDPOINT: string;
  OTEL_EXPORTER_OTLP_HEADERS: string;
  /** `batuta-<service>` when empty. */
  OTEL_SERVICE_NAME: string;
  OTEL_TRACES_SAMPLER: Sampler;
  /** The fraction of traces that the samplers `…traceidratio` take, from 0 to 1. */
  OTEL_TRACES_SAMPLER_ARG: number;
  /** Milliseconds between two exports. */
  OTEL_BSP_SCHEDULE_DELAY: number;
}
