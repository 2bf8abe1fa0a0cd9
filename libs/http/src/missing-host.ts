import { ApiError } from '@batuta/errors';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Makes the app refuse HTTP/1.1 without a Host header with the error envelope (contract 7); Node itself would refuse it with an empty body. */
export function requireHost(app: NestExpressApplication): void {
  Reflect.set(app.getHttpServer(), 'requireHostHeader', false);
  app.use(refuseMissingHost);
}

function refuseMissingHost({ httpVersion, headers }: IncomingMessage, _: ServerResponse, next: () => void): void {
  if (httpVersion === '1.1' && headers.host === undefined) throw new ApiError('BAD_REQUEST', 'Host: is missing');
  next();
}
