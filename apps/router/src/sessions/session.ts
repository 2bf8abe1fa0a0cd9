import type { AgentEnvironment } from '@batuta/catalog';
import type {
  AdoptedInstance,
  AgentFrame,
  DesiredState,
  HeldInstance,
  HelloFrame,
  RouterFrame,
  Work,
} from '@batuta/contracts';
import { v7 as uuid } from 'uuid';
import type { AgentSocket } from '../connections/agent-socket';
import { MAX_CLAIM, nextAtOnce, type Taker } from '../dispatch/allotment';
import { ReportQueue } from '../reports/report-queue';
import { heldMove, type Held, type HeldEvent, type HeldMove } from './held';

const FIRST_REST_MS = 500;
const LONGEST_REST_MS = 30_000;

/** One agent's connection: who it is, what it holds, how it is doing. All times are of the monotonic clock, in ms. */
export class Session {
  readonly id = uuid();
  readonly environmentID: string;
  readonly keyHash: Buffer;
  readonly held = new Map<string, Held>();
  readonly reports = new ReportQueue();
  renewedAt = performance.now();
  heardAt = performance.now();
  /** Its row is in the database: a renewal that does not find it any more means that it is over. */
  rowWritten = false;
  /** False until the agent is welcomed: what an earlier session held is not settled yet. */
  open = false;
  /** What the agent said before its welcome. */
  readonly early: { frame: AgentFrame; bytes: number }[] = [];
  draining = false;
  claiming = false;
  environmentCapacity: number;
  private atOnce = MAX_CLAIM;
  private readonly ending = new AbortController();
  private restUntil = 0;
  private restMs = 0;

  constructor(
    readonly socket: AgentSocket,
    readonly hello: HelloFrame,
    environment: AgentEnvironment,
  ) {
    this.environmentID = environment.environmentID;
    this.environmentCapacity = environment.capacity;
    this.keyHash = environment.keyHash;
  }

  /** Aborts when the session ends: what is asked for it need not be asked again. */
  get over(): AbortSignal {
    return this.ending.signal;
  }

  end(): void {
    this.ending.abort();
    for (const held of this.held.values()) clearTimeout(held.timer);
  }

  send(frame: RouterFrame): void {
    this.socket.send(frame);
  }

  asTaker(): Taker {
    return {
      sessionID: this.id,
      agentCapacity: this.hello.capacity,
      environmentCapacity: this.environmentCapacity,
      held: this.held.size,
      claiming: this.claiming || !this.open || this.over.aborted,
      draining: this.draining,
      resting: performance.now() < this.restUntil,
      buffered: this.socket.buffered,
      atOnce: this.atOnce,
    };
  }

  claimed(answered: boolean): void {
    this.claiming = false;
    this.atOnce = nextAtOnce(this.atOnce, answered);
  }

  holdOffered(work: Work): Held {
    const { instanceID, fence, requestID } = work;
    return this.hold({ instanceID, fence, requestID, state: 'offered', desired: 'run', told: 0 });
  }

  holdGranted({ instanceID, fence, requestID, desired }: AdoptedInstance): Held {
    return this.hold({ instanceID, fence, requestID, state: 'granted', desired, told: 0 });
  }

  find({ instanceID, fence }: HeldInstance): Held | undefined {
    const held = this.held.get(instanceID);
    return held?.fence === fence ? held : undefined;
  }

  /** Moves an instance by the table; undefined when the event changes nothing, or the instance is held no more. */
  move(held: Held, event: HeldEvent): HeldMove | undefined {
    if (this.held.get(held.instanceID) !== held) return undefined;
    const move = heldMove(held.state, event);
    if (!move) return undefined;
    clearTimeout(held.timer);
    if (move.to === 'gone') this.held.delete(held.instanceID);
    else held.state = move.to;
    return move;
  }

  /** Tells the agent what is wanted of an instance, once. A stop is never taken back. */
  tell(held: Held, desired: DesiredState): void {
    if (held.desired === desired || held.desired === 'stop') return;
    held.desired = desired;
    held.told += 1;
    // Before the grant there is nobody to tell; the grant carries it.
    if (held.state !== 'granted') return;
    this.send({ type: 'desired', instanceID: held.instanceID, fence: held.fence, desired });
  }

  /** Takes no work for a moment, longer each time until it accepts some. */
  rest(): void {
    this.restMs = Math.min(LONGEST_REST_MS, this.restMs === 0 ? FIRST_REST_MS : 2 * this.restMs);
    this.restUntil = performance.now() + this.restMs;
  }

  rested(): void {
    this.restMs = 0;
    this.restUntil = 0;
  }

  private hold(held: Held): Held {
    this.held.set(held.instanceID, held);
    return held;
  }
}
