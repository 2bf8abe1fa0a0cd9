import type { AwaitedState } from '@batuta/contracts';
import { faultPoint } from '@batuta/observability';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { GatewayClock } from '../../common/gateway-clock';
import { GatewayMetrics } from '../../common/gateway-metrics';
import { PermitPool } from '../permits/permit-pool';
import type { WaitingCaller } from './waiting-caller';

/** `no permit`: the process has as many waiting calls as it may (contract 8). `disconnected`: nobody is left to respond to. */
export type WaitResult = { end: 'settled'; state: AwaitedState } | { end: 'no permit' } | { end: 'disconnected' };

/** Holds a connection open, under a permit of the process, until its waiting caller ends. */
@Injectable()
export class WaitService {
  constructor(
    private readonly clock: GatewayClock,
    private readonly metrics: GatewayMetrics,
    private readonly permits: PermitPool,
  ) {}

  /** `caller`'s start has been accepted. A caller whose deadline has already passed takes no permit. */
  async wait(caller: WaitingCaller, processID: string, response: Response): Promise<WaitResult> {
    if (response.destroyed) return { end: 'disconnected' };
    response.once('close', () => caller.abandon());
    caller.accept();
    const overdue = this.clock.now() >= caller.deadline;
    const permit = overdue ? undefined : await this.permits.acquire(processID);
    if (!overdue && !permit) {
      this.metrics.waitEnded('full');
      return { end: 'no permit' };
    }
    faultPoint('gateway:waiting');
    const state = await caller.finalState;
    this.metrics.waitEnded(state ? 'told' : 'gone');
    permit?.release();
    return state ? { end: 'settled', state } : { end: 'disconnected' };
  }
}
