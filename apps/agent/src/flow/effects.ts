import type { ReportResponse } from '@batuta/contracts';
import type { CodeRunner } from '../sandbox';
import type { Control } from './control';
import type { LineSink } from './journal';

/** Everything a run of a flow does to the world, so that the interpreter itself stays testable. */
export interface Effects {
  log: LineSink;
  /** Answers the caller that waits; asked for only when one does, and once. */
  answer(response: ReportResponse): void;
  code: CodeRunner;
  fetch: typeof fetch;
  control: Control;
  /** Tells the agent's own log of a fault that is the agent's, sensitive values masked. */
  fault(text: string): void;
  /** Epoch milliseconds. */
  now: () => number;
  /** Rejects as soon as the signal aborts. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** From 0 to below 1. */
  random(): number;
  /** Executed steps at most; a flow may lower it. */
  stepLimit: number;
}
