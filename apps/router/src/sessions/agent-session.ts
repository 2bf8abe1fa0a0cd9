import type { AgentEnvironment } from '@batuta/catalog';
import { Abilities, type AgentFrame, type HelloFrame, type RouterFrame } from '@batuta/agent-protocol';
import type { AdoptedInstance, DesiredState, HeldInstance, Work } from '@batuta/contracts';
import { v7 as uuid } from 'uuid';
import type { AgentMemory } from './agent-memory';
import type { AgentSocket } from './agent-socket';
import { MAX_CLAIM, nextClaimLimit, type ClaimCandidate } from './claim-capacity';
import { ReportInbox } from './report-inbox';
import { transitionOf, type TrackedEvent, type TrackedInstance, type TrackedTransition } from './tracked-instance';

const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 30_000;

/** The sessions of an environment whose agents have equal abilities: they share one claim, since any of them runs what it brings. */
export interface SessionGroup {
  /** Equal for the sessions of one group, different for those of others. */
  key: string;
  environmentID: string;
}

/** One connection of an agent: its identity, its instances, its health. Times are milliseconds of the monotonic clock. */
export class AgentSession {
  readonly id = uuid();
  readonly environmentID: string;
  readonly keyHash: Buffer;
  readonly abilities: Abilities;
  readonly instances = new Map<string, TrackedInstance>();
  readonly reports: ReportInbox;
  renewedAt = performance.now();
  lastFrameAt = performance.now();
  /** The session's row exists in the database: a renewal that does not find it means that the session is closed. */
  rowWritten = false;
  /** False until the welcome: the instances of an earlier session are not adopted yet. */
  welcomed = false;
  /** Frames that arrived before the welcome. */
  readonly earlyFrames: { frame: AgentFrame; bytes: number }[] = [];
  draining = false;
  claiming = false;
  environmentCapacity: number;
  private claimLimit = MAX_CLAIM;
  readonly group: SessionGroup;
  private readonly abort = new AbortController();
  private backoffUntil = 0;
  private backoffMs = 0;

  constructor(
    readonly socket: AgentSocket,
    readonly hello: HelloFrame,
    environment: AgentEnvironment,
    private readonly memory: AgentMemory,
  ) {
    this.reports = new ReportInbox(memory.reports.hold(environment.environmentID));
    this.abilities = Abilities.announced(hello.abilities);
    this.environmentID = environment.environmentID;
    this.group = { key: `${this.environmentID} ${this.abilities.key}`, environmentID: this.environmentID };
    this.environmentCapacity = environment.capacity;
    this.keyHash = environment.keyHash;
  }

  /** Aborts when the session ends, which ends the retries of its calls. */
  get ended(): AbortSignal {
    return this.abort.signal;
  }

  end(): void {
    this.abort.abort();
    this.reports.release();
    for (const { offerTimer } of this.instances.values()) clearTimeout(offerTimer);
  }

  send(frame: RouterFrame): void {
    this.socket.send(frame);
  }

  claimCandidate(): ClaimCandidate {
    return {
      sessionID: this.id,
      agentCapacity: this.hello.capacity,
      environmentCapacity: this.environmentCapacity,
      held: this.instances.size,
      claiming: this.claiming || !this.welcomed || this.ended.aborted,
      draining: this.draining,
      backingOff: performance.now() < this.backoffUntil,
      bufferedBytes: this.memory.isUnreadFull(this.environmentID) ? Infinity : this.socket.bufferedBytes,
      claimLimit: this.claimLimit,
    };
  }

  claimEnded(answered: boolean): void {
    this.claiming = false;
    this.claimLimit = nextClaimLimit(this.claimLimit, answered);
  }

  trackOffered({ instanceID, fence, requestID }: Work): TrackedInstance {
    return this.track({ instanceID, fence, requestID, state: 'offered', desired: 'run', desiredVersion: 0 });
  }

  trackAdopted({ instanceID, fence, requestID, desired }: AdoptedInstance): TrackedInstance {
    return this.track({ instanceID, fence, requestID, state: 'granted', desired, desiredVersion: 0 });
  }

  find({ instanceID, fence }: HeldInstance): TrackedInstance | undefined {
    const instance = this.instances.get(instanceID);
    return instance?.fence === fence ? instance : undefined;
  }

  /**
   * Changes the state of the instance as the transition table says, and returns the transition. Returns undefined, and changes nothing,
   * when the event has no effect or the instance is no longer tracked.
   */
  transition(instance: TrackedInstance, event: TrackedEvent): TrackedTransition | undefined {
    if (this.instances.get(instance.instanceID) !== instance) return undefined;
    const transition = transitionOf(instance.state, event);
    if (!transition) return undefined;
    clearTimeout(instance.offerTimer);
    if (transition.to === 'removed') this.instances.delete(instance.instanceID);
    else instance.state = transition.to;
    return transition;
  }

  /** Sends the desired state if it changed. A stop is final. */
  setDesired(instance: TrackedInstance, desired: DesiredState): void {
    if (instance.desired === desired || instance.desired === 'stop') return;
    instance.desired = desired;
    instance.desiredVersion += 1;
    // Before the grant the agent does not run the instance; the grant carries the desired state.
    if (instance.state !== 'granted') return;
    this.send({ type: 'desired', instanceID: instance.instanceID, fence: instance.fence, desired });
  }

  /** Claims nothing for a while; the pause doubles until the agent accepts an offer. */
  backOff(): void {
    this.backoffMs = Math.min(LONGEST_BACKOFF_MS, this.backoffMs === 0 ? FIRST_BACKOFF_MS : 2 * this.backoffMs);
    this.backoffUntil = performance.now() + this.backoffMs;
  }

  resetBackoff(): void {
    this.backoffMs = 0;
    this.backoffUntil = 0;
  }

  private track(instance: TrackedInstance): TrackedInstance {
    this.instances.set(instance.instanceID, instance);
    return instance;
  }
}
