import type { EvidenceFrame, ReportFrame } from '@batuta/agent-protocol';
import type { ApiCaller } from './caller';
import type { CreditCorrection, CreditEntry } from './credit';
import type { AdoptedInstance, InstanceWithDesiredState, HeldInstance, InstanceWork } from './delivery';
import type {
  AuditEvent,
  AuditFeedEvent,
  ControlAction,
  DesiredState,
  HistoryItem,
  InstanceBody,
  InstanceStatus,
  Outcome,
  Viewer,
} from './instance';
import type { EvidencePage, EvidenceReply, InstanceNews, LogPage, LogRequest } from './instance-log';
import type { EnvironmentLoad, RunDetails, RunListPage, RunsRequest, Statistics, StatisticsRequest } from './run';
import type { DryRunReply, StartReply, StartRequest } from './start';
import { event, rpc, type ReplicaNotice } from './subject';

/** The state of an instance, for the caller that waits for its answer. */
export interface AwaitedState {
  instanceID: string;
  status: InstanceStatus;
  /** The outcome of the instance; null until it has ended. */
  outcome: Outcome | null;
  /**
   * Present once the process has answered; `body` = unmasked JSON text. `valid: false` = the recorded answer is invalid (interpretation 30), or its
   * body can no longer be read.
   */
  answer?: { valid: true; code: number; body: string } | { valid: false };
  /** The instance has ended without an answer because its agent can send none, so that the caller waits until its time limit (contract 4.17). */
  mute?: true;
}

/** Counting instances stops at this number, because a queue may have millions. */
export const MAX_COUNTED_INSTANCES = 1_000;

const executionReplica = event<ReplicaNotice>('execution.replica');
/** The requests of one tenant go to the same replica of execution, as long as that replica answers. */
const byTenant = { replicas: executionReplica };

/** The requests that execution handles. Those with a `viewer` throw INSTANCE_NOT_FOUND also for an instance that the viewer may not see. */
export const execution = {
  /** Accepts a start, or refuses it with the error of the first check that fails. Requests with the same `instanceID` start one instance. */
  start: rpc<StartRequest, StartReply>('execution.start', byTenant),
  /** Makes the checks of a start without starting anything; refusals are in the reply. Throws PROCESS_NOT_FOUND for an unknown process. */
  dryRun: rpc<Pick<StartRequest, 'processID' | 'trigger' | 'matrix' | 'environmentID'>, DryRunReply>(
    'execution.dry-run',
  ),
  /**
   * Stops, pauses or resumes an instance: stores its desired state, which the router reconciles with the agent; a stop of an instance that does
   * not run yet ends it at once. The right of the caller is read again in the transaction of the change. Throws INSTANCE_NOT_FOUND,
   * INSTANCE_FINISHED, INSTANCE_UNRESOLVED for an action that does not apply to its state, and the refusal of a caller that lost its access
   * meanwhile.
   */
  control: rpc<
    { instanceID: string; action: ControlAction; viewer: ApiCaller; executor: string },
    { ok: true; action: ControlAction }
  >('execution.control'),
  /** The body of an instance as the API returns it. */
  instance: rpc<{ instanceID: string; viewer: Viewer }, InstanceBody>('execution.instance'),
  /**
   * The newest lines before `before`, or with `after` the oldest lines after it: at most `limit` lines (at most 1000), and no more than fit
   * into a page.
   */
  logs: rpc<LogRequest, LogPage>('execution.logs'),
  /**
   * Bytes of a picture of the instance from `offset` on, at most a page (interpretation 57). Throws NOT_FOUND for a picture that is missing or not
   * complete yet, and BAD_REQUEST for an offset that is negative or not less than its bytes.
   */
  evidence: rpc<{ instanceID: string; evidenceID: string; viewer: Viewer; offset: number }, EvidencePage>(
    'execution.evidence',
  ),
  /**
   * For followers of an instance: its body, and the oldest `limit` lines after line number `after`, at most about `bytes`. If
   * `knownPosition` is given, the reply repeats it as the position of a queued instance, which spares execution the count of the queue.
   */
  news: rpc<
    { instanceID: string; viewer: Viewer; after: number; limit: number; bytes?: number; knownPosition?: number },
    InstanceNews
  >('execution.news'),
  /** For waiting callers. Instances that do not exist, or whose answers do not fit into one reply, are left out. */
  awaited: rpc<{ instanceIDs: string[] }, { states: AwaitedState[] }>('execution.awaited'),
  /**
   * Ended instances of the process without debug runs, newest first. `from` and `to` are inclusive days `YYYY-MM-DD` in America/Sao_Paulo, which
   * bound `startedAt` (interpretation 8). `before` = only executions that come after the one with this id in the history; `older` in the reply is
   * the cursor of the next page, absent on the last page (interpretation 8b). `beforeTime` = the `startedAt` of that one, with which it need not be
   * there any longer.
   */
  history: rpc<
    { processID: string; from: string; to: string; limit: number; before?: string; beforeTime?: string },
    { executions: HistoryItem[]; older?: { before: string } }
  >('execution.history'),
  /**
   * For the management API: instances of the process, debug and manual runs included, without `queue` and `response`, newest first. `before` =
   * only instances older than the one with this id; `startedBy` = only instances that this account started (interpretation 51). `older` in the
   * reply is the cursor of the next page; absent on the last page. `olderTime` = when the instance of `older` was accepted: sent as `beforeTime`, the
   * page goes on although that instance was deleted. The previous release has neither.
   */
  instances: rpc<
    { processID: string; limit: number; before?: string; beforeTime?: string; startedBy?: string },
    { instances: InstanceBody[]; older?: { before: string }; olderTime?: string }
  >('execution.instances'),
  /**
   * For the management API: the instances that the account may see, newest first (interpretation 13). These are all
   * instances of the processes that it owns, and those instances of processes shared with it that it has started itself.
   */
  runs: rpc<RunsRequest, RunListPage>('execution.runs'),
  /** An instance with the values that it started with, except the values of Secretos. */
  runDetails: rpc<{ instanceID: string; viewer: Viewer }, RunDetails>('execution.run-details'),
  /**
   * Counts the ended instances of the account's own processes, and with `asListed` also those that the account started in shared ones. Throws
   * BAD_REQUEST for an empty period and for one of more than 31 days.
   */
  statistics: rpc<StatisticsRequest, Statistics>('execution.statistics'),
  /** The numbers of waiting and of running instances of each environment, each counted up to `MAX_COUNTED_INSTANCES`. */
  load: rpc<{ environmentIDs: string[] }, { environments: EnvironmentLoad[] }>('execution.load'),
  /**
   * The audit events of a process, newest first. `before` = the number in `older` of the previous page; `startedBy` = only events of the
   * instances that this account, which must not be the owner of the process, started (interpretation 51); of actions of the owner they have its
   * name only, without the account.
   */
  audit: rpc<
    { processID: string; limit: number; before?: number; startedBy?: string },
    { events: AuditEvent[]; older?: { before: number } }
  >('execution.audit'),
  /**
   * The events after number `after`, oldest first, of all processes or of those of one company, deleted processes included. Events younger than
   * `FEED_LAG_SECONDS` are left out, unless an older one has a larger number. A page may have fewer events than `limit` although `more` is true.
   */
  auditFeed: rpc<{ companyID?: string; after: number; limit: number }, { events: AuditFeedEvent[]; more: boolean }>(
    'execution.audit-feed',
  ),
  /** Records a change of a process by its owner in the audit trail. */
  recordAudit: rpc<
    { processID: string; accountID: string; action: string; executor: string; detail: Record<string, unknown> },
    { ok: true }
  >('execution.record-audit'),
  /** The credits that each company can spend now, by company id; a company that does not exist is missing. */
  credits: rpc<{ companyIDs: string[] }, { balances: Record<string, number> }>('execution.credits'),
  /** The ledger of a company, newest first, from `from` on and before `to`. `before` = the number in `older` of the previous page. */
  creditEntries: rpc<
    { companyID: string; limit: number; before?: number; from?: string; to?: string },
    { entries: CreditEntry[]; older?: { before: number } }
  >('execution.credit-entries'),
  /** Sets the balance through a ledger row for the difference (interpretation 40). Throws as `correctCredits` does, but never CONFLICT. */
  setCredits: rpc<
    { companyID: string; credits: number } & Pick<CreditCorrection, 'operatorID' | 'sessionHash'>,
    { balance: number }
  >('execution.set-credits'),
  /**
   * Like `setCredits`, or by a difference, with a reason; a repeated `id` changes nothing, and the reply has the present balance. Throws NOT_FOUND,
   * BAD_REQUEST for a balance outside 0 to 1,000,000,000, CONFLICT when another correction has the `id`, and OWNER_INACTIVE or INVALID_CREDENTIAL
   * when the operator lost access meanwhile.
   */
  correctCredits: rpc<CreditCorrection, { balance: number }>('execution.correct-credits'),
  /**
   * The number of queued, unknown and running instances of an environment or process, except those that are being cancelled
   * (interpretation 47). Counting stops at `MAX_COUNTED_INSTANCES`.
   */
  inUse: rpc<{ environmentID?: string; processID?: string }, { active: number }>('execution.in-use'),

  /**
   * Moves up to `limit` of the oldest queued instances that the agent can run to `unknown` for this session. `abilities` = what its `hello`
   * announced; a router of the previous release leaves it out. `publicKey` = the agent's key, to which secret values are sealed; an agent without a
   * key gets them in clear, unless REQUIRE_SEALED_VALUES is set. When the queue is empty, the claim waits `waitMilliseconds` (default 0), and a start
   * that is accepted meanwhile is delivered at once. With `inParts`, instances may arrive in partial replies; without it, the first delivered
   * instances end the claim. The last reply ends the claim, for one of four reasons: `limit` instances are delivered, the wait is over, the session
   * takes no more work (`notifications.work`), or the session must claim again so that the queue is polled.
   */
  claim: rpc<
    {
      environmentID: string;
      sessionID: string;
      limit: number;
      abilities?: readonly string[];
      publicKey?: string;
      waitMilliseconds?: number;
      inParts?: true;
    },
    { work: InstanceWork[] }
  >('execution.claim', byTenant),
  /** `unknown` → `running`; a repeated request is granted again. `granted: false` = the session no longer has the instance. */
  grant: rpc<HeldInstance & { sessionID: string }, { granted: boolean; desired: DesiredState }>(
    'execution.grant',
    byTenant,
  ),
  /** Requeues, at their old positions, those of the instances that the session still has and that were not granted; `released` = their number. */
  release: rpc<{ sessionID: string; instances: HeldInstance[] }, { released: number }>('execution.release'),
  /**
   * `accepted: true` = the report is stored, now or by an earlier request. `accepted: false` = the agent drops the instance: the fencing token of the
   * report is old, the instance has ended, or the report ends it, because it follows a gap, or cannot be stored and has `endIfUnstorable`. An
   * instance that the report ends without a result is CRASHED, or STOPPED if a stop was requested. Throws when the report cannot be stored, without
   * `endIfUnstorable`.
   */
  report: rpc<ReportFrame & { sessionID: string; endIfUnstorable?: true }, { accepted: boolean; seq: number }>(
    'execution.report',
    byTenant,
  ),
  /** Stores a part of a picture. `environmentID` = the environment of the agent that sends the part. A repeated part has no effect. */
  keepEvidence: rpc<EvidenceFrame & { environmentID: string }, EvidenceReply>('execution.keep-evidence'),
  /**
   * Called for an agent that resumes, with the instances that it holds. The agent continues the `granted` ones and drops the
   * `revoked` ones. An instance of the previous session that the agent no longer holds is requeued if it was only offered; if it ran, it ends as
   * CRASHED, or as STOPPED if a stop was requested. Throws CONFLICT when the session `sessionID` is over.
   */
  adopt: rpc<
    { sessionID: string; previousSessionID: string; held: HeldInstance[] },
    { granted: AdoptedInstance[]; revoked: HeldInstance[] }
  >('execution.adopt'),
  /** Replies while `adopt` can do its work, so that a router knows whether agents can resume their sessions. */
  canAdopt: rpc<Record<string, never>, { ok: true }>('execution.can-adopt'),
  /** The running instances of these sessions whose desired state is `pause` or `stop`, for reconciliation. */
  desired: rpc<{ sessionIDs: string[] }, { instances: (InstanceWithDesiredState & { sessionID: string })[] }>(
    'execution.desired',
  ),
};

/** The notifications between services, most of which execution publishes. */
export const notifications = {
  /** A replica of execution announces that it receives requests. */
  executionReplica,
  /**
   * An instance may have been queued in the environment. `from` = a session whose long poll execution ends now, because the session takes no more
   * work or claims again.
   */
  work: event<{ environmentID: string; from?: string }>('environment.work'),
  /** The desired state of an instance changed; the router of the session passes it on to the agent. */
  desired: event<InstanceWithDesiredState & { sessionID: string }>('instance.desired'),
  /** Instances changed or have new log lines; their followers read them. */
  instancesChanged: event<{ instanceIDs: string[] }>('instances.changed'),
  /**
   * An instance with a waiting caller has answered or ended. Without `state`, which is left out for a large answer and for an end without an answer,
   * the gateway asks for the state.
   */
  answered: event<{ instanceID: string; state?: AwaitedState }>('instance.answered'),
  /** The activation key or capacity of the environment changed, or the environment was deleted. */
  environmentChanged: event<{ environmentID: string }>('environment.changed'),
  /**
   * The process was deleted: other services delete their rows of it, but not ended instances and audit events. A sweep finds the rows if the
   * notification is lost.
   */
  processDeleted: event<{ processID: string }>('process.deleted'),
};
