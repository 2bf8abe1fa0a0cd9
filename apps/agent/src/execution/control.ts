import type { DesiredState } from '@batuta/contracts';
import { ElapsedTime } from '../connection/elapsed-time';
import { StoppedError } from '../step-error';

/** A contact with the router: a heartbeat, a grant, or a welcome that grants the instance. */
export interface Contact {
  /** Milliseconds of the wall clock. A process reads a contact late, for example after a sleep of the machine. */
  at: number;
  /** The grace period that the contact begins. */
  graceMs: number;
}

/**
 * The desired state of one execution (interpretation 6), and whether it is suspended. Pause and resume take effect
 * between two steps. Stop and drop take effect at once: they abort `signal`, which ends every wait, call and script. A
 * suspended execution begins no further effect, because Batuta may have given the instance up; an effect in progress runs to its end.
 */
export class Control {
  private desired: DesiredState = 'run';
  private isSuspended = false;
  private latestContact: Contact = { at: Date.now(), graceMs: Infinity };
  private readonly sinceContact = new ElapsedTime();
  private readonly aborter = new AbortController();
  private changeWaiters: (() => void)[] = [];
  private readonly watchers: (() => void)[] = [];

  get signal(): AbortSignal {
    return this.aborter.signal;
  }

  get stopped(): boolean {
    return this.signal.aborted;
  }

  get paused(): boolean {
    return this.desired === 'pause' && !this.stopped;
  }

  get desiredState(): DesiredState {
    return this.desired;
  }

  /**
   * Also true when the grace period is over and the agent has not suspended the execution yet: after a long sleep of the machine the
   * execution may continue before the agent does. False after a stop.
   */
  get suspended(): boolean {
    return (this.isSuspended || this.sinceContact.milliseconds >= this.latestContact.graceMs) && !this.stopped;
  }

  /** The latest contact; until `setContact` its grace period has no end. */
  get contact(): Contact {
    return this.latestContact;
  }

  /** Calls the watcher after each later change of the desired state, the suspension or the contact. */
  watch(watcher: () => void): void {
    this.watchers.push(watcher);
  }

  /** Changes the desired state; has no effect after a stop, which is final. */
  setDesired(state: DesiredState): void {
    if (this.stopped) return;
    this.desired = state;
    if (state === 'stop') this.aborter.abort();
    this.changed();
  }

  setSuspended(suspended: boolean): void {
    if (this.stopped || this.isSuspended === suspended) return;
    this.isSuspended = suspended;
    this.changed();
  }

  /** Begins the grace period again, from the time of the contact on. */
  setContact(contact: Contact): void {
    this.latestContact = contact;
    this.sinceContact.restart(contact.at);
    this.changed();
  }

  /** Stops the execution, because the agent gives its instance up. */
  drop(): void {
    this.setDesired('stop');
  }

  /** Resolves once the execution is resumed or stopped. */
  async untilNotPaused(): Promise<void> {
    while (this.paused) await this.nextChange();
  }

  /** Resolves once the execution is not suspended; rejects with StoppedError if it is stopped. */
  async untilMayAct(): Promise<void> {
    while (this.suspended) await this.nextChange();
    if (this.stopped) throw new StoppedError();
  }

  private nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.changeWaiters.push(resolve);
    });
  }

  private changed(): void {
    for (const wake of this.changeWaiters.splice(0)) wake();
    for (const watcher of this.watchers) watcher();
  }
}
