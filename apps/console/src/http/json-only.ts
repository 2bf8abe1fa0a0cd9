import { ApiError } from '@batuta/errors';
import type { NextFunction, Request, Response } from 'express';

/** A body of another kind would be dropped in silence, and a form of another site could send it (see SessionGuard). */
export function jsonOnly(request: Request, _response: Response, next: NextFunction): void {
  const hasBody = request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length']) > 0;
  const isJson = request.is('application/json') !== false;
  if (!hasBody || isJson) return next();
  next(new ApiError('BAD_REQUEST', 'Content-Type: must be application/json'));
}
