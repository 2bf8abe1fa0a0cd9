import { Controller, Get, Header, HttpCode, Inject, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Metrics } from './metrics';

/** What a service needs to do its work; each check rejects or returns false when its part is away. */
export interface ReadinessCheck {
  name: string;
  check(): Promise<boolean> | boolean;
}

export const READINESS = Symbol('READINESS');
const CHECK_MILLISECONDS = 2_000;

/** `/health/live`, `/health/ready` and `/metrics`, the same on every service. */
@Controller()
export class HealthController {
  constructor(
    @Inject(READINESS) private readonly checks: ReadinessCheck[],
    private readonly metrics: Metrics,
  ) {}

  @Get('health/live')
  live(): { ok: true } {
    return { ok: true };
  }

  @Get('health/ready')
  @HttpCode(200)
  async ready(
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ ok: boolean; parts: Record<string, boolean> }> {
    const results = await Promise.all(this.checks.map(async (part) => [part.name, await holds(part)] as const));
    const ok = results.every(([, up]) => up);
    if (!ok) response.status(503);
    return { ok, parts: Object.fromEntries(results) };
  }

  @Get('metrics')
  @Header('content-type', 'text/plain; version=0.0.4')
  figures(): Promise<string> {
    return this.metrics.registry.metrics();
  }
}

async function holds(part: ReadinessCheck): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), CHECK_MILLISECONDS);
  });
  const check = Promise.resolve()
    .then(() => part.check())
    .catch(() => false);
  return Promise.race([check, late]).finally(() => clearTimeout(timer));
}
