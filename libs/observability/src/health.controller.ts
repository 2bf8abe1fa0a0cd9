import { withTimeout } from '@batuta/async';
import { Controller, Get, Header, HttpCode, Inject, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Liveness } from './liveness';
import { Metrics } from './metrics';

/** A check of one dependency that the service needs; it rejects or returns false while the dependency is away. */
export interface ReadinessCheck {
  name: string;
  check(): Promise<boolean> | boolean;
}

/** Injection token of the service's readiness checks. */
export const READINESS = Symbol('READINESS');
const CHECK_TIMEOUT_MS = 2_000;

/** `/health/live`, `/health/ready` and `/metrics` of every service. */
@Controller()
export class HealthController {
  constructor(
    @Inject(READINESS) private readonly checks: ReadinessCheck[],
    private readonly metrics: Metrics,
    private readonly liveness: Liveness,
  ) {}

  @Get('health/live')
  live(@Res({ passthrough: true }) response: Response): { ok: boolean; standing?: string[] } {
    const standing = this.liveness.stuck();
    if (standing.length === 0) return { ok: true };
    response.status(503);
    return { ok: false, standing };
  }

  @Get('health/ready')
  @HttpCode(200)
  async ready(
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ ok: boolean; parts: Record<string, boolean> }> {
    const results = await Promise.all(this.checks.map(async (check) => [check.name, await passes(check)] as const));
    const ok = results.every(([, up]) => up);
    if (!ok) response.status(503);
    return { ok, parts: Object.fromEntries(results) };
  }

  @Get('metrics')
  @Header('content-type', 'text/plain; version=0.0.4')
  metricsText(): Promise<string> {
    return this.metrics.registry.metrics();
  }
}

/** False when the check fails or takes longer than its time limit. */
function passes(readiness: ReadinessCheck): Promise<boolean> {
  const check = Promise.resolve().then(() => readiness.check());
  return withTimeout(check, CHECK_TIMEOUT_MS, () => new Error('timed out')).catch(() => false);
}
