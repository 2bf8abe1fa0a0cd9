import type { OfferFrame, ReportEnd, ReportLine, ReportResponse } from '@batuta/agent-protocol';
import type { DesiredState } from '@batuta/contracts';
import type { Flow } from '@batuta/flow';
import type { Picture } from '../evidence/evidence-sink';
import type { Contact } from '../execution/control';
import type { EndedStep } from '../execution/effects';
import type { SandboxSettings } from '../sandbox';
import type { FlowSettings } from './flow-effects';

/**
 * The arguments with which a process is started before it has an execution. Every process of the machine's user can
 * read them, so they contain no secret.
 */
export interface ChildSetup {
  sandbox: SandboxSettings;
  /** PEM file with certificates of further authorities. */
  caFile: string | undefined;
  /** The folder for temporary files, which the process removes when the agent dies. */
  folder: string;
  /** Whether the process runs a small flow before it is ready, because no execution waits for it yet. */
  warmsUp: boolean;
  /** Whether the process stores its compiled modules for later processes. */
  storesModules: boolean;
  /** Whether the process reports its use of memory and processor time; if not, the agent reads both in /proc. */
  reportsUsage: boolean;
}

/** The state of an execution's `Control` in the agent, which the `Control` in the process of the execution copies. */
export interface ControlState {
  desired: DesiredState;
  suspended: boolean;
  contact: Contact;
}

/** Messages from the agent to the process of an execution. */
export type ToChild =
  /** `flow` is the flow of the offer, already validated; absent when it is invalid. */
  | { kind: 'run'; offer: OfferFrame; flow: Flow | undefined; settings: FlowSettings; control: ControlState }
  | { kind: 'control'; control: ControlState }
  /** Acknowledges that the agent took one log line. */
  | { kind: 'taken' }
  /** Returns the link of a picture; without a link the picture is not kept. */
  | { kind: 'picture'; id: number; link: string | undefined };

export type RunMessage = Extract<ToChild, { kind: 'run' }>;

/**
 * The present memory of an execution, and its processor time since the start of its process. The programs that it has started count only where
 * the agent reads both in /proc.
 */
export interface ResourceUsage {
  memoryBytes: number;
  cpuSeconds: number;
}

/** Messages from the process of an execution to the agent, in order. */
export type FromChild =
  /** Says that the process has loaded its modules. */
  | { kind: 'ready' }
  | { kind: 'line'; line: ReportLine }
  | { kind: 'answer'; response: ReportResponse }
  | { kind: 'picture'; id: number; picture: Picture }
  /** Reports a fault of the agent, for the agent's own log; its text is masked. */
  | { kind: 'fault'; text: string }
  /** Reports that the execution has started a program such as a browser, or that the program has ended. */
  | { kind: 'program'; pid: number; runs: boolean }
  | { kind: 'usage'; usage: ResourceUsage }
  /** Sent only for an execution that is traced. */
  | { kind: 'step'; step: EndedStep }
  | { kind: 'end'; end: ReportEnd };

const TO_CHILD: ReadonlySet<unknown> = new Set<ToChild['kind']>(['run', 'control', 'taken', 'picture']);
const FROM_CHILD: ReadonlySet<unknown> = new Set<FromChild['kind']>([
  'ready',
  'line',
  'answer',
  'picture',
  'fault',
  'program',
  'usage',
  'step',
  'end',
]);

// Only the kind of a message is checked: both ends are the same release of the agent.
export function isToChild(message: unknown): message is ToChild {
  return TO_CHILD.has(Reflect.get(Object(message), 'kind'));
}

export function isFromChild(message: unknown): message is FromChild {
  return FROM_CHILD.has(Reflect.get(Object(message), 'kind'));
}
