import type { OfferFrame } from '@batuta/agent-protocol';

/** An instance as the agent's own log names it. */
export type LoggedInstance = Pick<OfferFrame, 'instanceID' | 'processID'>;

/** Logs a fault of the agent that an execution met; `text` is masked. */
export type InternalErrorLog = (instance: LoggedInstance, text: string) => void;
