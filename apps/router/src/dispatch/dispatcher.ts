import { InFlightTasks } from '@batuta/async';
import { execution, notifications, type InstanceWork } from '@batuta/contracts';
import { faultPoint, LogThrottle } from '@batuta/observability';
import { Inject, Injectable } from '@nestjs/common';
import { ROUTER_CONFIG, type RouterConfig } from '../config';
import { RouterContext } from '../context/router-context';
import type { AgentSession, SessionGroup } from '../sessions/agent-session';
import { AgentSessions } from '../sessions/agent-sessions';
import { roomOf } from '../sessions/claim-capacity';
import { nextAllotment } from './allotment';
import { InstanceReleaser } from './instance-releaser';
import { OfferTracker } from './offer-tracker';

/**
 * Maximum number of session groups whose claims one poll starts at once; further groups are spread over the poll
 * interval.
 */
const POLL_BATCH_SIZE = 16;
/** How much longer than its long poll a claim may take. */
const REPLY_MARGIN_MS = 5_000;
/** A long poll that stays silent this long after a notification gets an extra claim beside it, because its reply may be lost. */
const MAX_SILENCE_MS = 500;

/**
 * `waited`: an empty reply in the second half of the wait. `nothing`: an empty reply before that, or no claim was possible. `failed`: the call
 * failed.
 */
type ClaimResult = 'work' | 'waited' | 'nothing' | 'failed';

interface SessionClaim {
  session: AgentSession;
  limit: number;
  /**
   * Whether work may arrive in several parts. Set only if no other session has room, because otherwise the sessions
   * take turns.
   */
  inParts?: true;
}

/** The claim of a group (sessions with the same environment and abilities) that waits at execution for work. */
interface LongPoll extends Pick<SessionClaim, 'session' | 'inParts'> {
  /** Timer after which an extra claim is made because the long poll did not react to a notification. */
  extraClaimTimer?: NodeJS.Timeout;
}

/**
 * Brings queued instances to the sessions at this replica. As long as a session of a group has room, the group keeps one long poll at execution,
 * with pauses after failures. Sessions with other abilities form another group, because the long poll of a group must wait while the queue has
 * only instances that other agents can run.
 */
@Injectable()
export class Dispatcher {
  /** The running claim loops, by key of their group of sessions. */
  private readonly loops = new Map<string, Promise<void>>();
  /** Groups that were woken since the latest claim of their loop began. */
  private readonly notified = new Set<string>();
  private readonly longPolls = new Map<string, LongPoll>();
  private readonly extraClaims = new InFlightTasks();
  /** While execution is away, the claims of every environment fail every few seconds. */
  private readonly failureLog = new LogThrottle();
  private readonly waitMs: number;
  private stopped = false;

  constructor(
    private readonly context: RouterContext,
    private readonly sessions: AgentSessions,
    private readonly offers: OfferTracker,
    private readonly releaser: InstanceReleaser,
    @Inject(ROUTER_CONFIG) config: RouterConfig,
  ) {
    this.waitMs = config.POLL_MS;
    offers.onRoomFreed(({ group }) => this.wake(group));
  }

  /**
   * Lets every group of the environment that has room claim. Called when an instance may have been queued, an agent connected, or the capacity
   * of the environment changed.
   */
  onWork(environmentID: string): void {
    for (const group of this.sessions.groupsIn(environmentID)) this.wake(group);
  }

  /** Starts a claim loop for each group that has room and no running loop, whatever has ended its last loop. */
  async poll(): Promise<void> {
    const groups = this.sessions.environmentIDs().flatMap((id) => this.sessions.groupsIn(id));
    const idle = groups.filter((group) => !this.loops.has(group.key) && this.nextClaim(group));
    for (const [index, group] of idle.entries()) {
      if (index < POLL_BATCH_SIZE) this.wake(group);
      else setTimeout(() => this.wake(group), Math.random() * this.waitMs).unref();
    }
  }

  /** Stops claiming; resolves when the claims in flight have ended. */
  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all([...this.loops.values(), this.extraClaims.drain()]);
  }

  private wake(group: SessionGroup): void {
    if (this.loops.has(group.key)) {
      this.notified.add(group.key);
      this.scheduleExtraClaim(group);
      this.takeTurns(group);
    } else this.startLoop(group);
  }

  private startLoop(group: SessionGroup): void {
    if (!this.nextClaim(group)) return;
    this.loops.set(group.key, this.claimLoop(group));
  }

  private async claimLoop(group: SessionGroup): Promise<void> {
    const { key } = group;
    try {
      for (let repeat = true; repeat && this.nextClaim(group);) {
        this.notified.delete(key);
        const result = await this.claimOnce(group);
        const notified = result === 'nothing' && this.notified.has(key);
        repeat = result === 'work' || result === 'waited' || notified;
      }
    } finally {
      this.loops.delete(key);
      this.notified.delete(key);
    }
  }

  private async claimOnce(group: SessionGroup): Promise<ClaimResult> {
    const claim = this.nextClaim(group);
    if (!claim) return 'nothing';
    const begunAt = performance.now();
    const count = await this.runLongPoll(claim);
    if (count === undefined) return 'failed';
    if (count > 0) return 'work';
    // An empty reply in the first half of the wait means that execution ended the claim early; the loop then repeats only
    // after new work was notified.
    return performance.now() - begunAt < this.waitMs / 2 ? 'nothing' : 'waited';
  }

  /** Offers what the claim brings; returns the number of instances, or undefined when the final reply is missing. */
  private async runLongPoll(claim: SessionClaim): Promise<number | undefined> {
    const { session, inParts } = claim;
    const longPoll: LongPoll = { session, inParts };
    this.longPolls.set(session.group.key, longPoll);
    session.isClaiming = true;
    let count = 0;
    const onPart = (work: InstanceWork[]) => {
      count += work.length;
      this.offer(session, work);
    };
    const last = await this.claim(claim, this.waitMs, onPart);
    session.onClaimEnd(last !== undefined);
    this.longPolls.delete(session.group.key);
    clearTimeout(longPoll.extraClaimTimer);
    if (last) this.offer(session, last);
    return last && count + last.length;
  }

  /**
   * Called when the group is woken while its claim loop runs (work was queued, an agent connected, room was freed): makes an extra
   * claim unless the long poll ends within MAX_SILENCE_MS, because its reply may be lost.
   */
  private scheduleExtraClaim(group: SessionGroup): void {
    const longPoll = this.longPolls.get(group.key);
    if (!longPoll || longPoll.extraClaimTimer) return;
    const extraClaim = async () => {
      const claim = this.nextClaim(group, longPoll.session);
      const work = claim && (await this.claim(claim, 0));
      longPoll.extraClaimTimer = undefined;
      if (claim && work) this.offer(claim.session, work);
    };
    longPoll.extraClaimTimer = setTimeout(() => this.extraClaims.add(extraClaim()), MAX_SILENCE_MS).unref();
  }

  /**
   * Ends a long poll in parts when another session has room, too, so that the next claim takes only its session's
   * share.
   */
  private takeTurns(group: SessionGroup): void {
    const longPoll = this.longPolls.get(group.key);
    if (!longPoll?.inParts || !this.nextClaim(group)) return;
    longPoll.inParts = undefined;
    const { environmentID } = group;
    this.context.rpc.notify(notifications.work, { environmentID, from: longPoll.session.id });
  }

  /**
   * Offers as many instances as the agent still has room for and releases the others: during the claim the agent may
   * have disconnected, rejected an offer or filled up.
   */
  private offer(session: AgentSession, work: InstanceWork[]): void {
    if (work.length === 0) return;
    faultPoint('router:after-claim');
    this.context.metrics.claimedInstances.inc(work.length);
    const ended = this.stopped || session.endSignal.aborted;
    const room = ended ? 0 : roomOf({ ...session.toClaimCandidate(), isClaiming: false });
    this.releaser.release(session, work.slice(room));
    if (room > 0) this.offers.offer(session, work.slice(0, room));
  }

  /** Claims instances; undefined when the call failed. If the claim was committed all the same, execution's sweep requeues its instances. */
  private async claim(
    { session, limit, inParts }: SessionClaim,
    waitMilliseconds: number,
    onPart?: (work: InstanceWork[]) => void,
  ): Promise<InstanceWork[] | undefined> {
    const { environmentID, id: sessionID, abilities, hello } = session;
    const { rpc, metrics, logger } = this.context;
    const { publicKey } = hello;
    const claim = { environmentID, sessionID, limit, abilities: abilities.list, publicKey, waitMilliseconds };
    const request = { ...claim, ...(onPart && inParts && { inParts }) };
    try {
      const { work } = await rpc.call(execution.claim, request, {
        timeout: waitMilliseconds + REPLY_MARGIN_MS,
        tenant: session.companyID,
        // Values that execution sends as RawJson, those of large inputs, stay JSON text: the router only passes them on to the agent, and
        // parsing and writing them again would cost its memory and its event loop much.
        raw: true,
        onPartial: onPart && (({ work: part }) => onPart(part)),
      });
      return work;
    } catch (error) {
      metrics.retries.inc({ call: 'claim' });
      const failures = this.failureLog.add();
      if (failures !== undefined)
        logger.warn({ err: error, sessionID, environmentID, failures }, 'the claim of a session failed');
      return undefined;
    }
  }

  /** The session that claims next, and its limit. The claim in flight of the session `waiting` does not count. */
  private nextClaim(group: SessionGroup, waiting?: AgentSession): SessionClaim | undefined {
    if (this.stopped) return undefined;
    const candidates = this.sessions.inGroup(group).map((session) => {
      const candidate = session.toClaimCandidate();
      return session === waiting ? { ...candidate, isClaiming: false } : candidate;
    });
    const next = nextAllotment(candidates);
    const session = next && this.sessions.get(next.sessionID);
    return session && { session, limit: next.limit, ...(next.isOnlyOneWithRoom && { inParts: true }) };
  }
}
