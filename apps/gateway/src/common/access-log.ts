import { REQUEST_ID_HEADER } from '@batuta/http';
import type { Logger } from '@batuta/observability';
import type { NextFunction, Response } from 'express';
import type { GatewayMetrics } from './gateway-metrics';
import type { GatewayRequest } from '../http/request';

const UNMATCHED = 'none';
/** Probes call these every few seconds, which is worth a log line at debug level only. */
const PROBED = /^\/(?:health|metrics|docs)/;

/** Middleware: the headers that each answer carries, one log line per request and its metrics. */
export function accessLog(logger: Logger, metrics: GatewayMetrics) {
  return (request: GatewayRequest, response: Response, next: NextFunction): void => {
    const began = process.hrtime.bigint();
    const requestID = response.getHeader(REQUEST_ID_HEADER);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Cache-Control', 'no-store');
    response.once('close', () => {
      const seconds = Number(process.hrtime.bigint() - began) / 1e9;
      const route = routeOf(request);
      const status = response.writableFinished ? response.statusCode : 'aborted';
      metrics.answered(request.method, route, status, seconds);
      const account = request.caller?.accountID;
      const origin = request.hook?.originID;
      logger[PROBED.test(route) ? 'debug' : 'info'](
        { requestID, method: request.method, route, status, ms: Math.round(seconds * 1e3), account, origin },
        'request',
      );
    });
    next();
  };
}

/** The pattern of the route and not the path, because paths hold ids, and webhook paths hold secrets. */
function routeOf(request: GatewayRequest): string {
  const route: unknown = request.route;
  const known = typeof route === 'object' && route !== null && 'path' in route && typeof route.path === 'string';
  return known ? String(route.path) : UNMATCHED;
}
