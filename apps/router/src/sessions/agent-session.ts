import type { AgentEnvironment } from '@batuta/catalog';
import { isTracing, startSpan } from '@batuta/tracing';
import { Abilities, type AgentFrame, type HelloFrame, type RouterFrame } from '@batuta/agent-protocol';
import type { AdoptedInstance, DesiredState, HeldInstance, InstanceWork } from '@batuta/contracts';
import { AgentPublicKey } from '@batuta/secrets';
import { v7 as uuid } from 'uuid';
import { PicturePartInbox } from './picture-part-inbox';
import { memoryTenantOf, type AgentMemory } from './agent-memory';
import type { AgentSocket } from './agent-socket';
import { MAX_CLAIMED_INSTANCES, nextClaimLimit, type ClaimCandidate } from './claim-capacity';
import { ReportInbox } from './report-inbox';
import { transitionOf, type TrackedEvent, type TrackedInstance, type TrackedTransition } from './tracked-instance';

/** Shortest and longest pause of a session whose agent rejects offers or does not answer them. */
const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;

/**
 * Sessions of one environment whose agents have equal abilities. They share one claim, because each of them can run any
 * instance that the claim brings.
 */
export interface SessionGroup {
  /** A text that is equal for the sessions of one group and different for those of others. */
  key: string;
  environmentID: string;
}

/** One connection of an agent: its identity, its instances, its health. Times are milliseconds of the monotonic clock. */
export class AgentSession {
  readonly id = uuid();
  readonly environmentID: string;
  /** The company that the environment belongs to. */
  readonly companyID: string;
  /** The tenant as which `AgentMemory` counts the bytes of this session: the environment. */
  readonly memoryTenant: string;
  /** SHA-256 of the activation key with which the agent connected. */
  readonly keyHash: Buffer;
  readonly abilities: Abilities;
  /** The fingerprint of the agent's public key; null = it has none. */
  readonly keyFingerprint: string | null;
  /** The instances that are offered, being granted or granted, by instance id. */
  readonly instances = new Map<string, TrackedInstance>();
  readonly reports: ReportInbox;
  readonly parts = new PicturePartInbox();
  /** When the last successful renewal of the lease began; before the first one, when the writing of the row began. */
  renewedAt = performance.now();
  /** When the router last handled a frame of the agent, welcomed it, or counted a paused socket as alive. */
  lastFrameAt = performance.now();
  /**
   * Whether the session's row was written to the database. Only then a renewal that does not find the row means that
   * the session is closed.
   */
  hasRow = false;
  /**
   * True once the welcome was sent. Before the welcome the instances of the previous session are not adopted yet, so
   * nothing is claimed, and frames are kept.
   */
  isWelcomed = false;
  /** Frames that arrived before the welcome. */
  readonly earlyFrames: { frame: AgentFrame; bytes: number }[] = [];
  /** True once the agent has said that it takes no more offers on this connection. */
  isDraining = false;
  /** True while a long poll of this session is in flight. */
  isClaiming = false;
  /** Maximum number of instances that the environment allows each agent, as last read. */
  environmentCapacity: number;
  private claimLimit = MAX_CLAIMED_INSTANCES;
  readonly group: SessionGroup;
  private readonly abort = new AbortController();
  private backoffUntil = 0;
  private backoffMs = 0;

  /** Throws if the agent's public key is invalid, so that nothing could be sealed to it. */
  constructor(
    readonly socket: AgentSocket,
    readonly hello: HelloFrame,
    environment: AgentEnvironment,
    private readonly memory: AgentMemory,
  ) {
    this.reports = new ReportInbox(memory.reports.hold(memoryTenantOf(environment)));
    const { publicKey } = hello;
    this.abilities = Abilities.announced(hello.abilities, publicKey);
    this.keyFingerprint = publicKey === undefined ? null : AgentPublicKey.parse(publicKey).fingerprint;
    this.environmentID = environment.environmentID;
    this.companyID = environment.companyID;
    this.memoryTenant = memoryTenantOf(environment);
    this.group = { key: `${this.environmentID} ${this.abilities.key}`, environmentID: this.environmentID };
    this.environmentCapacity = environment.capacity;
    this.keyHash = environment.keyHash;
  }

  /** Aborts when the session ends, so that the retries of its calls end. */
  get endSignal(): AbortSignal {
    return this.abort.signal;
  }

  /** Aborts `endSignal`, and releases memory and timers. The socket and the row of the session are closed by SessionCloser. */
  end(): void {
    this.abort.abort();
    this.reports.release();
    this.parts.release();
    for (const { offerTimer } of this.instances.values()) clearTimeout(offerTimer);
  }

  /**
   * Sends a frame; returns the size of an offer in bytes, and 0 for any other frame. Sends nothing and returns 0 once the connection closes;
   * terminates a connection whose agent leaves too many bytes unread.
   */
  send(frame: RouterFrame): number {
    return this.socket.send(frame);
  }

  /** The bytes of the offers that the agent has not answered, some of which may not have arrived. */
  get unansweredOfferBytes(): number {
    const offered = [...this.instances.values()].filter(({ state }) => state === 'offered');
    return offered.reduce((sum, { offerBytes = 0 }) => sum + offerBytes, 0);
  }

  toClaimCandidate(): ClaimCandidate {
    return {
      sessionID: this.id,
      agentCapacity: this.hello.capacity,
      environmentCapacity: this.environmentCapacity,
      held: this.instances.size,
      isClaiming: this.isClaiming || !this.isWelcomed || this.endSignal.aborted,
      isDraining: this.isDraining,
      isBackingOff: this.isBackingOff,
      bufferedBytes: this.memory.isUnreadFull(this.memoryTenant) ? Infinity : this.socket.bufferedBytes,
      claimLimit: this.claimLimit,
    };
  }

  /** `answered` = the claim got a reply, also an empty one. */
  onClaimEnd(answered: boolean): void {
    this.isClaiming = false;
    this.claimLimit = nextClaimLimit(this.claimLimit, answered);
  }

  trackOffered({ instanceID, fence, requestID, acceptedAt, traceparent }: InstanceWork): TrackedInstance {
    const attributes = { 'batuta.instance.id': instanceID, 'batuta.environment.id': this.environmentID };
    const dispatchSpan = isTracing() ? startSpan({ name: 'dispatch', attributes }, traceparent ?? null) : undefined;
    return this.track({
      instanceID,
      fence,
      requestID,
      acceptedAt,
      traceparent: dispatchSpan?.trace.traceparent ?? traceparent,
      dispatchSpan,
      state: 'offered',
      lastReport: 0,
      desired: 'run',
      desiredVersion: 0,
    });
  }

  trackAdopted({ instanceID, fence, requestID, traceparent, desired }: AdoptedInstance): TrackedInstance {
    return this.track({ instanceID, fence, requestID, traceparent, state: 'granted', desired, desiredVersion: 0 });
  }

  /** The tracked instance with this id and fence; undefined for another claim of the instance. */
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
    if (transition.to !== 'granting') instance.dispatchSpan?.end(event === 'granted' ? {} : { error: event });
    if (transition.to === 'removed') this.instances.delete(instance.instanceID);
    else instance.state = transition.to;
    return transition;
  }

  /** Notes the desired state, and sends it to the agent of a granted instance, if it changed. A stop is final. */
  setDesired(instance: TrackedInstance, desired: DesiredState): void {
    if (instance.desired === desired || instance.desired === 'stop') return;
    instance.desired = desired;
    instance.desiredVersion += 1;
    // Nothing is sent before the grant: the agent does not run the instance yet, and the grant carries the desired
    // state.
    if (instance.state !== 'granted') return;
    this.send({ type: 'desired', instanceID: instance.instanceID, fence: instance.fence, desired });
  }

  /**
   * Lets the session claim nothing for a while; the pause doubles each time until the agent accepts an offer. A call during the pause has no
   * effect, because the offers of one claim are rejected together.
   */
  backOff(): void {
    if (this.isBackingOff) return;
    this.backoffMs = Math.min(MAX_BACKOFF_MS, this.backoffMs === 0 ? FIRST_BACKOFF_MS : 2 * this.backoffMs);
    this.backoffUntil = performance.now() + this.backoffMs;
  }

  /** Ends the pause; the next one is short again. */
  resetBackoff(): void {
    this.backoffMs = 0;
    this.backoffUntil = 0;
  }

  private get isBackingOff(): boolean {
    return performance.now() < this.backoffUntil;
  }

  private track(instance: TrackedInstance): TrackedInstance {
    // The session may still await the reply to an offer of an earlier claim, which execution has ended.
    const previous = this.instances.get(instance.instanceID);
    clearTimeout(previous?.offerTimer);
    previous?.dispatchSpan?.end({ error: 'replaced' });
    this.instances.set(instance.instanceID, instance);
    return instance;
  }
}
