import type { DesiredState } from './instance';

/** A claimed instance with everything that an agent needs to run it. */
export interface InstanceWork {
  instanceID: string;
  /** Fencing token: every later message about the instance carries it, and a message with an old one is refused. */
  fence: number;
  processID: string;
  /** The name that the process had when the start was accepted. */
  processName: string;
  /** The number of the version, as text; `0` for a debug run. */
  version: string;
  /** Who is shown as the starter (interpretation 10). */
  userName: string;
  /** The request id of its start, for log lines. */
  requestID: string;
  /** Time of the acceptance, in epoch milliseconds of the database's clock; absent from the previous release. */
  acceptedAt?: number;
  /** W3C Trace Context of the parent span; absent when the start is not traced. */
  traceparent?: string;
  /** The flow definition of the published version; for a debug run the flow in development. */
  flow: unknown;
  matrix: { name: string; type: string; value: unknown }[];
  /** A webhook caller waits for the answer of the process. */
  awaited?: boolean;
  /** The vault values to which the flow refers, by key. */
  vault: Record<string, string>;
  /** Instead of secret values in `matrix` and `vault`: those values, sealed to the agent's public key, in base64. */
  sealed?: string;
}

/** An instance that an agent has, with the fencing token of its claim. */
export interface HeldInstance {
  instanceID: string;
  fence: number;
}

/**
 * An instance that an agent has, with the desired state to which the agent must bring it: in the notification `instance.desired`, in the
 * reply to `execution.desired`, and, for an agent that resumes, in the reply to `execution.adopt`.
 */
export interface InstanceWithDesiredState extends HeldInstance {
  desired: DesiredState;
}

/** An instance that continues in another session; `requestID` is the request id of its start, for log lines. */
export interface AdoptedInstance extends InstanceWithDesiredState {
  requestID: string;
  /** W3C Trace Context of its acceptance; absent when the start is not traced. */
  traceparent?: string;
}
