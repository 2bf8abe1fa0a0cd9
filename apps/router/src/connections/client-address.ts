import { addressKey } from '@batuta/auth';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express } from 'express';
import type { IncomingMessage } from 'node:http';

/**
 * Returns a function that reads a client's address, also behind trusted proxies, as the key by which failures are
 * throttled: an IPv4 address or an IPv6 network. Upgrade requests do not pass through Express, so they get the prototype
 * of Express requests, whose `ip` reads X-Forwarded-For according to `trust proxy`.
 */
export function clientAddressReader(app: NestExpressApplication): (request: IncomingMessage) => string {
  const express: Express = app.getHttpAdapter().getInstance();
  return (request) => {
    Object.setPrototypeOf(request, express.request);
    const address: unknown = Reflect.get(request, 'ip');
    return addressKey(typeof address === 'string' ? address : undefined);
  };
}
