import { REQUEST_ID_HEADER, type Logger } from '@batuta/observability';
import { traceToSend } from '@batuta/tracing';
import type { NextFunction, Request, Response } from 'express';

const UNMATCHED_ROUTE = 'none';
/** Routes that are logged only at debug level: probes and scrapes, which come every few seconds, and the pages of the API documentation. */
const PROBED_ROUTE = /^\/(?:health|metrics|docs)/;

/** An answer that was sent, or `aborted` when its client disconnected first. */
export interface LoggedAnswer {
  method: string;
  /** The pattern of the route. */
  route: string;
  status: number | 'aborted';
  /** From the arrival of the request to the end of the answer. */
  seconds: number;
  traceId: string | undefined;
}

export interface AccessLogOptions<Call extends Request> {
  /** The name of the route in metrics and log; absent = the pattern of the route. */
  routeOf?: (request: Call, response: Response) => string;
  /** Records the metrics of an answer. */
  record: (answer: LoggedAnswer) => void;
  /** Fields of the log line about the tenant. */
  tenantOf?: (request: Call) => object;
}

/**
 * Makes the middleware that logs each request in one line, and records its metrics, once its answer has ended or its client has disconnected.
 * It comes after `assignRequestID`, whose id it logs.
 */
export function accessLog<Call extends Request>(
  logger: Logger,
  { routeOf = routePattern, record, tenantOf }: AccessLogOptions<Call>,
) {
  return (request: Call, response: Response, next: NextFunction): void => {
    const began = performance.now();
    const requestID = response.getHeader(REQUEST_ID_HEADER);
    const traceId = traceToSend()?.traceID;
    response.once('close', () => {
      const seconds = (performance.now() - began) / 1e3;
      const { method } = request;
      const route = routeOf(request, response);
      const status = response.writableFinished ? response.statusCode : 'aborted';
      record({ method, route, status, seconds, traceId });
      logger[PROBED_ROUTE.test(route) ? 'debug' : 'info'](
        { requestID, method, route, status, ms: Math.round(seconds * 1e3), ...tenantOf?.(request), traceId },
        'request',
      );
    });
    next();
  };
}

/**
 * The pattern of the route and not the path, because paths hold ids and e-mail addresses, and webhook paths hold secrets. UNMATCHED_ROUTE for a
 * request without a route, and for a route with a wildcard.
 */
export function routePattern(request: Pick<Request, 'route'>): string {
  const route: unknown = request.route;
  const known = typeof route === 'object' && route !== null && 'path' in route && typeof route.path === 'string';
  return known && !String(route.path).includes('*') ? String(route.path) : UNMATCHED_ROUTE;
}
