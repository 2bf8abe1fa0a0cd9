import { currentRequestID, withTrace } from '@batuta/observability';
import { startTrace } from '@batuta/tracing';
import type { NextFunction, Request, Response } from 'express';
import { routePattern } from './access-log';

/** Paths whose requests are not traced: probes and scrapes come every few seconds. */
const PROBED_PATH = /^\/(?:health|metrics)/;

/**
 * Middleware that begins the trace of a request, after the request has its id. The span has the pattern of the route as its name,
 * because paths hold ids and webhook paths hold secrets. Does nothing while tracing is off.
 */
export function traceRequest(request: Request, response: Response, next: NextFunction): void {
  const span = PROBED_PATH.test(request.path) ? undefined : beginTrace(request);
  if (!span) return next();
  response.once('close', () => {
    const route = routePattern(request);
    const status = response.statusCode;
    span.end({
      name: `${request.method} ${route}`,
      attributes: { 'http.route': route, 'http.response.status_code': status },
      ...(status >= 500 && { error: String(status) }),
      ...(!response.writableFinished && { error: 'aborted' }),
    });
  });
  withTrace(span.trace, next);
}

function beginTrace({ method, headers }: Request): ReturnType<typeof startTrace> {
  const attributes = { 'http.request.method': method, 'batuta.request.id': currentRequestID() ?? '' };
  return startTrace({ name: method, kind: 'server', attributes }, headers['traceparent']);
}
