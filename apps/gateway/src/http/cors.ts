import type { NestExpressApplication } from '@nestjs/platform-express';

const PREFLIGHT_MAX_AGE_SECONDS = 600;

/** Headers of an answer that a page may read. */
const EXPOSED_HEADERS = [
  'X-Request-Id',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Idempotency-Mismatch',
  'X-Instance-Id',
];

/**
 * Lets pages of these origins call the API from a browser; without origins no page may. Credentials travel in headers
 * that a page sets itself, never in cookies.
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
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_MAX_AGE_SECONDS,
  });
}
