import type { ReportResponse } from '@batuta/agent-protocol';
import type { BrowserSettings } from '../find-browser';
import type { EvidenceSink } from '../evidence/evidence-sink';
import type { HostAccess } from '../network/host-access';
import type { CodeRunner } from '../sandbox';
import type { PictureReader } from '../ocr/picture-reader';
import type { Control } from './control';
import type { LineSink } from './journal';

/** A step that has ended; its times in epoch milliseconds. */
export interface EndedStep {
  /** The name of the step, with sensitive values masked. */
  name: string;
  type: string;
  began: number;
  ended: number;
  /** Whether the step failed or was stopped. */
  failed: boolean;
}

/** Everything by which a running flow acts on or reads its surroundings; tests replace it. */
export interface Effects {
  log: LineSink;
  /** Answers the waiting caller. Called at most once, and only when a caller waits. */
  answer(response: ReportResponse): void;
  /** Present when the execution is traced. */
  stepEnded?: (step: EndedStep) => void;
  code: CodeRunner;
  /** `fetch` that rejects with StepHostRefusedError for hosts to which steps may not connect. */
  fetch: typeof fetch;
  /** Opens sockets under the access rules for hosts, for connectors that do not use `fetch`, and names the proxy of an address. */
  hostAccess: HostAccess;
  evidence: EvidenceSink;
  browser: BrowserSettings;
  pictures: PictureReader;
  control: Control;
  /** Logs a fault of the agent in its own log; `text` is masked. */
  logInternalError(text: string): void;
  /** The time in epoch milliseconds. */
  now: () => number;
  /** Whole milliseconds of a clock that nobody sets: only the difference of two readings has a meaning. */
  monotonicNow: () => number;
  /** Waits for the given time; rejects with StoppedError as soon as the signal aborts. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** A random number from 0 to below 1. */
  random(): number;
  /** Maximum number of steps that one execution runs, each as often as it runs; a flow may set a lower one. */
  stepLimit: number;
}
