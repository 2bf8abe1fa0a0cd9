import { addressKey } from '@batuta/auth';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express } from 'express';
import type { IncomingMessage } from 'node:http';

/**
 * Tells what counts as a caller's address, also behind proxies that the application trusts. Upgrade requests pass Express
 * by, so they get here what it gives to all others: a prototype that reads X-Forwarded-For by `trust proxy`.
 */
export function addressReader(app: NestExpressApplication): (request: IncomingMessage) => string {
  const express: Express = app.getHttpAdapter().getInstance();
  return (request) => {
    Object.setPrototypeOf(request, express.request);
    const address: unknown = Reflect.get(request, 'ip');
    return addressKey(typeof address === 'string' ? address : undefined);
  };
}
