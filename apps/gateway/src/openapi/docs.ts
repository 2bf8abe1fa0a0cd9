import { SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express, NextFunction, Request, Response } from 'express';

const DOCS_PATH = 'docs';

// Swagger UI writes styles into its page; scripts and all other content come from this server alone.
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Serves Swagger UI with its assets at `/docs` and the document at `/docs/openapi.json`, without a credential. The document is
 * made at the first request, because making it takes longer than all else that happens at the start of the service.
 */
export function serveDocs(app: NestExpressApplication, describe: () => OpenAPIObject): void {
  app.use(`/${DOCS_PATH}`, setSecurityHeaders);
  let document: Buffer | undefined;
  const express: Express = app.getHttpAdapter().getInstance();
  express.get(`/${DOCS_PATH}/openapi.json`, (_: Request, response: Response) => {
    // All connections share the bytes of the document: anyone may ask for it and leave it unread.
    document ??= Buffer.from(JSON.stringify(describe()));
    response.type('json').send(document);
  });
  SwaggerModule.setup(DOCS_PATH, app, describe, {
    customSiteTitle: 'Batuta external API',
    // Not as YAML, whose package the bundles leave out.
    raw: [],
    // The validator badge would call a server on the internet.
    swaggerOptions: { displayRequestDuration: true, tryItOutEnabled: true, validatorUrl: null },
  });
}

function setSecurityHeaders(_: Request, response: Response, next: NextFunction): void {
  response.setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY);
  response.setHeader('Referrer-Policy', 'no-referrer');
  next();
}
