// This library imports no Nest, and OpenTelemetry only when tracing is switched on: the agent uses it and must stay small.
export { readExporterHeaders } from './exporter-headers';
export { SAMPLERS, type Sampler } from './sampling';
export type { TraceSettings } from './settings';
export type { Span } from './span';
export {
  isSameTrace,
  isTracing,
  recordSpan,
  startSpan,
  startTrace,
  startTracing,
  runInSpan,
  traceToSend,
} from './tracing';
