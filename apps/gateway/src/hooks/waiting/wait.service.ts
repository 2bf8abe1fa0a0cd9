import { withTimeout } from '@batuta/async';
import type { AwaitedState } from '@batuta/contracts';
import { AdaptiveConcurrency } from '@batuta/http';
import { faultPoint } from '@batuta/observability';
import { isTracing, runInSpan } from '@batuta/tracing';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { GatewayClock } from '../../common/gateway-clock';
import { GatewayMetrics } from '../../common/gateway.metrics';
import { PermitPool } from '../permits/permit-pool';
import type { Permit } from '../permits/waiter-permits';
import type { WaitingCaller } from './waiting-caller';

/**
 * `waited`: the process answered, the instance ended or the deadline passed, with this last known state. `no permit`: the process has the
 * maximum number of waiting calls (contract 8), or the webhook service did not reply. `disconnected`: the client closed the connection.
 */
export type WaitResult = { end: 'waited'; state: AwaitedState } | { end: 'no permit' } | { end: 'disconnected' };

/** Holds the connection of a waiting caller open, with a permit of the process, until the wait ends. */
@Injectable()
export class WaitService {
  constructor(
    private readonly clock: GatewayClock,
    private readonly metrics: GatewayMetrics,
    private readonly permits: PermitPool,
    private readonly concurrency: AdaptiveConcurrency,
  ) {}

  /**
   * Called once the start was accepted; resolves when the wait of the caller ends. A caller whose deadline has already passed takes no
   * permit, and none waits for a permit beyond its deadline. From here on the call does not count as in progress for AdaptiveConcurrency.
   */
  wait(caller: WaitingCaller, processID: string, response: Response): Promise<WaitResult> {
    const work = () => this.waitForAnswer(caller, processID, response);
    return isTracing()
      ? runInSpan({ name: 'webhook answer', attributes: { 'batuta.process.id': processID } }, work)
      : work();
  }

  private async waitForAnswer(caller: WaitingCaller, processID: string, response: Response): Promise<WaitResult> {
    if (response.destroyed) return { end: 'disconnected' };
    response.once('close', () => caller.abandon());
    caller.accept();
    this.concurrency.leave(response);
    const permit = await this.acquirePermitBefore(caller.deadline, processID);
    if (permit === 'none') {
      this.metrics.countWait('full');
      return { end: 'no permit' };
    }
    faultPoint('gateway:waiting');
    const state = await caller.finalState;
    this.metrics.countWait(state ? 'answered' : 'left');
    if (permit !== 'late') permit.release();
    return state ? { end: 'waited', state } : { end: 'disconnected' };
  }

  /**
   * `none`: all permits are leased, or the webhook service did not reply. `late`: `deadline` (of the monotonic clock) has come first; a permit
   * that arrives later is returned at once.
   */
  private async acquirePermitBefore(deadline: number, processID: string): Promise<Permit | 'none' | 'late'> {
    const left = deadline - this.clock.monotonicNow();
    if (left <= 0) return 'late';
    const acquired = this.permits.acquire(processID);
    const decided = acquired.then((permit) => permit ?? 'none');
    return withTimeout(decided, left, () => new Error('The wait has ended')).catch(() => {
      void acquired.then((permit) => permit?.release());
      return 'late' as const;
    });
  }
}
