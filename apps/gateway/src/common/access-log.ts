import { REQUEST_ID_HEADER } from '@batuta/http';
import type { Logger } from '@batuta/observability';
import { traceToSend } from '@batuta/tracing';
import type { NextFunction, Request, Response } from 'express';
import type { GatewayMetrics } from './gateway-metrics';
import type { GatewayRequest } from '../http/request';

const UNMATCHED_ROUTE = 'none';
/** Path of the health probes, which are called every few seconds and are therefore logged only at debug level. */
const PROBED_PATH = /^\/(?:health|metrics|docs)/;

/** Middleware that sets the headers of every answer, logs each request in one line, and records its metrics. */
export function accessLog(logger: Logger, metrics: GatewayMetrics) {
  return (request: GatewayRequest, response: Response, next: NextFunction): void => {
    const began = process.hrtime.bigint();
    const requestID = response.getHeader(REQUEST_ID_HEADER);
    const traceId = traceToSend()?.traceID;
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Cache-Control', 'no-store');
    response.once('close', () => {
      const seconds = Number(process.hrtime.bigint() - began) / 1e9;
      const route = routeOf(request);
      const status = response.writableFinished ? response.statusCode : 'aborted';
      metrics.countResponse(request.method, route, status, seconds, traceId);
      const account = request.caller?.accountID;
      const origin = request.hook?.originID;
      logger[PROBED_PATH.test(route) ? 'debug' : 'info'](
        { requestID, method: request.method, route, status, ms: Math.round(seconds * 1e3), account, origin, traceId },
        'request',
      );
    });
    next();
  };
}

/** The pattern of the route and not the path, because paths hold ids, and webhook paths hold secrets. */
export function routeOf(request: Pick<Request, 'route'>): string {
  const route: unknown = request.route;
  const known = typeof route === 'object' && route !== null && 'path' in route && typeof route.path === 'string';
  return known ? String(route.path) : UNMATCHED_ROUTE;
}
