import { withTimeout } from '@batuta/async';
import { Controller, Get, HttpCode, Inject, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Liveness } from './liveness';
import { Metrics } from './metrics';
import { StopNotice } from './stop-notice';

/** A check of one dependency that the service needs; it rejects or returns false while the dependency is away. */
export interface ReadinessCheck {
  name: string;
  check(): Promise<boolean> | boolean;
}

/** Injection token of the service's readiness checks. */
export const READINESS_CHECKS = Symbol('READINESS_CHECKS');
const CHECK_TIMEOUT_MS = 2_000;

/**
 * `/health/live`, `/health/ready` and `/metrics` of every service. `live` answers 503 while a task is stuck, `ready` while a check fails or takes
 * longer than its time limit, and once this replica stops.
 */
@Controller()
export class HealthController {
  constructor(
    @Inject(READINESS_CHECKS) private readonly checks: ReadinessCheck[],
    private readonly metrics: Metrics,
    private readonly liveness: Liveness,
    private readonly stopNotice: StopNotice,
  ) {}

  @Get('health/live')
  live(@Res({ passthrough: true }) response: Response): { ok: boolean; stuck?: string[] } {
    const stuck = this.liveness.stuckTasks();
    if (stuck.length === 0) return { ok: true };
    response.status(503);
    return { ok: false, stuck };
  }

  @Get('health/ready')
  @HttpCode(200)
  async ready(
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ ok: boolean; stopping?: true; parts: Record<string, boolean> }> {
    const results = await Promise.all(this.checks.map(async (check) => [check.name, await isReady(check)] as const));
    const parts = Object.fromEntries(results);
    const stopping = this.stopNotice.isGiven;
    const ok = !stopping && results.every(([, up]) => up);
    if (!ok) response.status(503);
    return { ok, ...(stopping && { stopping }), parts };
  }

  @Get('metrics')
  async metricsText(@Res({ passthrough: true }) response: Response): Promise<string> {
    const { text, contentType } = await this.metrics.text();
    response.setHeader('content-type', contentType);
    return text;
  }
}

/** False when the check fails or takes longer than its time limit. */
function isReady(readiness: ReadinessCheck): Promise<boolean> {
  const check = Promise.resolve().then(() => readiness.check());
  return withTimeout(check, CHECK_TIMEOUT_MS, () => new Error('timed out')).catch(() => false);
}
