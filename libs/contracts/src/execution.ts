import type {
  AuditEvent,
  ControlAction,
  DesiredState,
  HistoryItem,
  InstanceBody,
  InstanceStatus,
  LogLine,
  Outcome,
  TriggerKind,
} from './instance';
import type { ReportFrame } from './agent-frames';
import type { WireError } from '@batuta/errors';
import { event, rpc } from './subject';

export interface Trigger {
  kind: TriggerKind;
  /** The account that acts; null where nobody is logged in (a schedule's or webhook's own run). */
  accountID: string | null;
  /** Shown as `userName`: the credential's label (interpretation 10). */
  userName: string;
  /** Recorded in the audit trail: the process key's Identifier (contract 1). */
  executor: string;
}

export interface StartRequest {
  /** Minted by the caller: a request sent twice starts once. */
  instanceID: string;
  /** Epoch milliseconds; past it the start is refused, so that a caller that gave up leaves no ghost. */
  deadline: number;
  /** Asked before, without an answer: the start may have been accepted, so that is to be looked up before anything else. */
  resent?: true;
  processID: string;
  trigger: Trigger;
  /** Values as the caller sent them, not yet converted. */
  matrix?: Record<string, unknown>;
  /** Values of a webhook's payload, in place of `matrix`. */
  mapped?: MappedValues;
  /** A caller waits for the process's answer (contract 3.3). */
  awaited?: true;
  environmentID?: string;
  /** `scope` = who may replay it (interpretation 19); `key` as the caller chose it; `body` = what the key was first sent with. */
  idempotency?: { scope: string; key: string; body: string };
}

/** What a webhook's mapping took from a payload, by variable; what the payload lacks is not in it (interpretation 26). */
export interface MappedValues {
  originID: string;
  /** The version whose mapping it was: when another one has been published since, the start is refused with CONFLICT. */
  versionID: string | null;
  values: { variableID: string; value: unknown }[];
  /** Of a run from a capture. */
  captureID?: string;
}

export interface StartReply {
  instanceID: string;
  status: 'started' | 'queued';
  /** The first call's answer, given again (contract 4.8 rule 6). */
  replayed?: true;
  /** The key came with another body than the first time (interpretation 20). */
  mismatch?: true;
}

/** What a start would do, without doing it. Nothing is stored or charged. */
export interface DryRunReply {
  /** The values as the flow would get them; a Secreto that was sent shows as `•••`. Absent when a value was refused. */
  matrix?: Record<string, unknown>;
  /** Every refusal, in the order in which a start would meet them. */
  refusals: WireError[];
  /** Where it would run; absent when the environment is out of reach. */
  environment?: { environmentID: string; name: string; online: boolean };
  /** What the start would answer; absent when it would be refused. */
  status?: 'started' | 'queued';
}

/** What is new about an instance since a line and a state; long asked for, so that a stream can follow it. */
export interface InstanceNews {
  body: InstanceBody;
  /** At most `limit` lines behind `after`, oldest first; `line` numbers them from 1. */
  lines: (LogLine & { line: number })[];
}

/** How far an instance is, for the caller that waits for its answer. */
export interface AwaitedState {
  instanceID: string;
  status: InstanceStatus;
  /** Once it has ended. */
  outcome: Outcome | null;
  /** Once the process has answered; `valid: false` when what it recorded is no answer (interpretation 30). */
  answer?: { valid: true; code: number; body: string } | { valid: false };
  /** Its agent is too old to answer: the caller is held to the end of its wait (contract 4.17). */
  mute?: true;
}

/** Who asks: an instance is visible to the account that started it and to the process owner (interpretation 13). */
export interface Viewer {
  accountID: string;
}

/** What an agent needs to run one instance. */
export interface Work {
  instanceID: string;
  /** Fencing token: every later word about the instance carries it, an old one is refused. */
  fence: number;
  processID: string;
  processName: string;
  version: string;
  userName: string;
  requestID: string;
  /** The flow definition of the published version; of a debug run the one in development. */
  flow: unknown;
  matrix: { name: string; type: string; value: unknown }[];
  /** A caller waits for the answer of the process. */
  awaited?: boolean;
  /** The vault values that the flow refers to, by key. */
  vault: Record<string, string>;
}

export interface HeldInstance {
  instanceID: string;
  fence: number;
}

export interface DesiredInstance extends HeldInstance {
  desired: DesiredState;
}

/** An instance that goes on in another session; `requestID` is that of its start, for log lines. */
export interface AdoptedInstance extends DesiredInstance {
  requestID: string;
}

export const execution = {
  start: rpc<StartRequest, StartReply>('execution.start'),
  dryRun: rpc<Pick<StartRequest, 'processID' | 'trigger' | 'matrix' | 'environmentID'>, DryRunReply>(
    'execution.dry-run',
  ),
  control: rpc<
    { instanceID: string; action: ControlAction; viewer: Viewer; executor: string },
    { ok: true; action: ControlAction }
  >('execution.control'),
  instance: rpc<{ instanceID: string; viewer: Viewer }, InstanceBody>('execution.instance'),
  /** The newest `limit` lines (at most 1000) in chronological order; `after` = only lines behind that line number. */
  logs: rpc<{ instanceID: string; viewer: Viewer; limit: number; after?: number }, { logs: LogLine[] }>(
    'execution.logs',
  ),
  /** For following an instance: its body, and the oldest `limit` lines behind line number `after`. */
  news: rpc<{ instanceID: string; viewer: Viewer; after: number; limit: number }, InstanceNews>('execution.news'),
  /** For callers that wait; instances that do not exist are left out, and what does not fit into one reply too. */
  awaited: rpc<{ instanceIDs: string[] }, { states: AwaitedState[] }>('execution.awaited'),
  /** `from` and `to` are inclusive days `YYYY-MM-DD` in America/Sao_Paulo (interpretation 8). */
  history: rpc<{ processID: string; from: string; to: string; limit: number }, { executions: HistoryItem[] }>(
    'execution.history',
  ),
  /** For the management API: everything that runs or ran, debug and manual runs included, newest first. */
  instances: rpc<{ processID: string; limit: number }, { instances: InstanceBody[] }>('execution.instances'),
  audit: rpc<{ processID: string; limit: number }, { events: AuditEvent[] }>('execution.audit'),
  credits: rpc<{ companyIDs: string[] }, { balances: Record<string, number> }>('execution.credits'),
  /** Sets the balance through a ledger row for the difference (interpretation 40). */
  setCredits: rpc<{ companyID: string; credits: number }, { balance: number }>('execution.set-credits'),
  /** Queued, unknown and running instances of an environment or process (interpretation 47). */
  inUse: rpc<{ environmentID?: string; processID?: string }, { active: number }>('execution.in-use'),

  /**
   * Moves up to `limit` of the oldest queued instances to `unknown` for this session. Of an empty queue it waits for as long
   * as is wished, 0 when left out: a start that is accepted meanwhile comes at once. `inParts`: work may come ahead of the
   * reply, which ends the claim: when it has brought `limit` instances altogether, the wait is over, the session takes no more
   * (`notifications.work`), or the queue is to be looked at anew.
   */
  claim: rpc<
    { environmentID: string; sessionID: string; limit: number; waitMilliseconds?: number; inParts?: true },
    { work: Work[] }
  >('execution.claim'),
  /** `unknown` → `running`; `granted: false` when the instance is no longer this session's to run. */
  grant: rpc<HeldInstance & { sessionID: string }, { granted: boolean; desired: DesiredState }>('execution.grant'),
  /** Puts offered but not granted instances back into the queue. */
  release: rpc<{ sessionID: string; instances: HeldInstance[] }, { released: number }>('execution.release'),
  /** `accepted: false` = refused for an old fencing token or an ended instance: the agent drops the instance. */
  report: rpc<ReportFrame & { sessionID: string }, { accepted: boolean; seq: number }>('execution.report'),
  /**
   * A resumed agent tells what it holds. `granted` instances go on, `revoked` ones must be dropped; what the old
   * session had been granted and the agent no longer holds ends as CRASHED.
   */
  adopt: rpc<
    { sessionID: string; previousSessionID: string; held: HeldInstance[] },
    { granted: AdoptedInstance[]; revoked: HeldInstance[] }
  >('execution.adopt'),
  /** What is wanted of the instances of these sessions, for reconciliation; only those not simply to `run`. */
  desired: rpc<{ sessionIDs: string[] }, { instances: (DesiredInstance & { sessionID: string })[] }>(
    'execution.desired',
  ),
};

export const notifications = {
  /** Something was queued for the environment. Or the session `from` gave it back, which has no use for more now. */
  work: event<{ environmentID: string; from?: string }>('environment.work'),
  /** The wanted state of an instance changed; whoever holds the session tells the agent. */
  desired: event<DesiredInstance & { sessionID: string }>('instance.desired'),
  /** Instances moved on or said something: whoever follows one may look. */
  instancesChanged: event<{ instanceIDs: string[] }>('instances.changed'),
  /** An instance that somebody waits for has answered or ended; the state comes along unless it is large. */
  answered: event<{ instanceID: string; state?: AwaitedState }>('instance.answered'),
  /** The environment's activation key, capacity or existence changed. */
  environmentChanged: event<{ environmentID: string }>('environment.changed'),
  /** The process is no more; what others keep for it can go. Who misses this finds out by a sweep. */
  processDeleted: event<{ processID: string }>('process.deleted'),
};
