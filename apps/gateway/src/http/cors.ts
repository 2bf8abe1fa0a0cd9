import type { NestExpressApplication } from '@nestjs/platform-express';

const PREFLIGHT_SECONDS = 600;

/** What a page may read of an answer besides its body. */
const TOLD = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy', 'Retry-After', 'Idempotency-Mismatch', 'X-Instance-Id'];

/**
 * Lets pages of these origins call the API from a browser; none = no page may. Credentials travel in headers that a page
 * has to set by itself, never in cookies.
 */
export function allowOrigins(app: NestExpressApplication, origins: string[]): void {
  if (origins.length === 0) return;
  app.enableCors({
    origin: origins,
    methods: ['GET', 'POST', 'PATCH', 'DELETE'],
    allowedHeaders: [
      'Authorization',
      'Content-Type',
      'Idempotency-Key',
      'Last-Event-ID',
      'X-Process-Key',
      'X-Request-Id',
    ],
    exposedHeaders: TOLD,
    maxAge: PREFLIGHT_SECONDS,
  });
}
