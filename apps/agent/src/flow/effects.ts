import type { ReportResponse } from '@batuta/agent-protocol';
import type { HostAccess } from '../network/host-access';
import type { CodeRunner } from '../sandbox';
import type { Control } from './control';
import type { LineSink } from './journal';

/** Every effect of a running flow on its surroundings; tests replace them. */
export interface Effects {
  log: LineSink;
  /** Answers the waiting caller. Called at most once, and only when a caller waits. */
  answer(response: ReportResponse): void;
  code: CodeRunner;
  /** Refuses hosts to which steps may not connect. */
  fetch: typeof fetch;
  /** For connectors that do not use `fetch`. */
  hosts: HostAccess;
  control: Control;
  /** Logs a fault of the agent in its own log; `text` is masked. */
  logInternalError(text: string): void;
  /** Epoch milliseconds. */
  now: () => number;
  /** Rejects as soon as the signal aborts. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** From 0 to below 1. */
  random(): number;
  /** Maximum number of executed steps; a flow may lower it. */
  stepLimit: number;
}
