import { ApiError } from '@batuta/errors';
import { parseJson, readInflatedBody, requireUtf8 } from '@batuta/http';
import type { NextFunction, Request, Response } from 'express';

/** Middleware that parses the JSON body into `request.body`, which stays undefined without a body. */
export async function jsonBody(request: Request, _response: Response, next: NextFunction): Promise<void> {
  if (hasBody(request)) request.body = await readJson(request);
  next();
}

function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;
}

/** An object or a list. Throws UNSUPPORTED_CHARSET, PAYLOAD_TOO_LARGE or BAD_REQUEST. */
async function readJson(request: Request): Promise<unknown> {
  // A form of another site could send any other content type (see SessionGuard).
  if (request.is('application/json') === false) {
    throw new ApiError('BAD_REQUEST', 'Content-Type: must be application/json');
  }
  requireUtf8(request.headers);
  const bytes = await readInflatedBody(request);
  const value = bytes.length === 0 ? {} : parseJson(bytes);
  if (typeof value !== 'object' || value === null) {
    throw new ApiError('BAD_REQUEST', 'body: must be a JSON object or list');
  }
  return value;
}
