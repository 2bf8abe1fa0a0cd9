import { withRequestID, type Logger, type Metrics } from '@batuta/observability';
import type { NextFunction, Request, Response } from 'express';
import { randomUUID } from 'node:crypto';

export const REQUEST_ID = 'X-Request-Id';
const READABLE = /^[\w.-]{1,64}$/;

type Middleware = (request: Request, response: Response, next: NextFunction) => void;

/** Every answer carries an id that is also in every log line about it; a caller may bring one. */
export function requestID(request: Request, response: Response, next: NextFunction): void {
  const brought = request.get(REQUEST_ID);
  const id = brought !== undefined && READABLE.test(brought) ? brought : randomUUID();
  response.setHeader(REQUEST_ID, id);
  withRequestID(id, next);
}

/** Times and logs what is asked, by route and never by path: paths hold e-mails. */
export function observed(logger: Logger, metrics: Metrics): Middleware {
  const seconds = metrics.histogram('console_http_seconds', 'Time to answer a call', ['method', 'route', 'status']);
  return (request, response, next) => {
    const began = performance.now();
    response.on('finish', () => {
      const route = routeOf(request);
      if (route.startsWith('/health') || route === '/metrics') return;
      const labels = { method: request.method, route, status: String(response.statusCode) };
      const took = (performance.now() - began) / 1000;
      seconds.observe(labels, took);
      logger.info(
        { ...labels, requestID: response.getHeader(REQUEST_ID), seconds: Number(took.toFixed(4)) },
        'answered',
      );
    });
    next();
  };
}

function routeOf(request: Request): string {
  const route: unknown = request.route;
  const known = typeof route === 'object' && route !== null && 'path' in route;
  return known && typeof route.path === 'string' && !route.path.includes('*') ? route.path : 'unknown';
}
