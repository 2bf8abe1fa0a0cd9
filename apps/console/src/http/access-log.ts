import { REQUEST_ID_HEADER } from '@batuta/http';
import type { Logger, Metrics } from '@batuta/observability';
import { traceToSend } from '@batuta/tracing';
import { isPage } from '../pages/pages';
import type { Request, RequestHandler } from 'express';

/** Measures and logs every call by its route and never by its path, because paths contain e-mail addresses. */
export function accessLog(logger: Logger, metrics: Metrics): RequestHandler {
  const duration = metrics.histogram('console_http_seconds', 'Time to answer a call', ['method', 'route', 'status']);
  return (request, response, next) => {
    const began = performance.now();
    const traceId = traceToSend()?.traceID;
    response.on('finish', () => {
      const route = isPage(response) ? 'page' : routeOf(request);
      if (route.startsWith('/health') || route === '/metrics') return;
      const labels = { method: request.method, route, status: String(response.statusCode) };
      const seconds = (performance.now() - began) / 1000;
      duration.observe(labels, seconds, traceId);
      const requestID = response.getHeader(REQUEST_ID_HEADER);
      logger.info({ ...labels, requestID, traceId, seconds: Number(seconds.toFixed(4)) }, 'call answered');
    });
    next();
  };
}

/** The pattern of the route, and not the path, because paths contain e-mail addresses. */
export function routeOf(request: Request): string {
  const route: unknown = request.route;
  const known = typeof route === 'object' && route !== null && 'path' in route;
  return known && typeof route.path === 'string' && !route.path.includes('*') ? route.path : 'unknown';
}
