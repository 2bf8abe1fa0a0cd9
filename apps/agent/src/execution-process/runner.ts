import type { OfferFrame, ReportEnd } from '@batuta/agent-protocol';
import type { KeepPicture } from '../evidence/evidence-sink';
import type { Control } from '../execution/control';
import type { ReportSink } from '../instances/accepted-instance';

/**
 * Receives the log lines and the answer of an execution, the ends of its steps if it is traced, and its pictures, which the sink hands over for
 * upload.
 */
export interface ExecutionSink extends ReportSink {
  keepPicture: KeepPicture;
}

/** Runs executions: each in a separate OS process, or all in the agent's process. */
export interface Runner {
  /** Runs the offered flow to its end; never rejects. */
  run: (offer: OfferFrame, control: Control, sink: ExecutionSink) => Promise<ReportEnd>;
  /** Why no execution can begin now; undefined when one can. */
  problem(): string | undefined;
  /** Frees the processes or threads of executions and ends those that still run. */
  close(): Promise<void>;
}
