import { ApiError } from '@batuta/errors';
import { existsSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { RequestHandler } from 'express';
import expressStaticGzip from 'express-static-gzip';

/** Paths of the API, of probes and metrics, and of files with hashed names; no page is below them. */
const NOT_PAGES = /^\/(manage|health|metrics|assets)(\/|$)/;
/** A path whose last part has a dot names a file; every other path is a page, which the script of index.html shows. */
const FILE_PATH = /\.[^/]*$/;

/**
 * Styles may be inline, scripts may not: the component library writes media queries, and the code editor its theme,
 * into style elements. A nonce would make every answer with index.html different, so that no client could revalidate
 * its cached copy.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE_HEADERS = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

const pageAnswers = new WeakSet<ServerResponse>();

/** The folder of the built pages, beside the bundle of this program or in dist; undefined when they are not built. */
export function findWebFolder(): string | undefined {
  return [join(__dirname, '../console-web'), join(__dirname, '../../../../dist/apps/console-web')].find((folder) =>
    existsSync(join(folder, 'index.html')),
  );
}

/**
 * Answers GET and HEAD with the files of the folder, among them the package of the agent in `downloads`, and with index.html for every path
 * that names no file and is none of NOT_PAGES. A missing file is left to the next handler.
 */
export function servePages(app: NestExpressApplication, folder: string): void {
  const options = { enableBrotli: true, orderPreference: ['br'] };
  const assets = expressStaticGzip(join(folder, 'assets'), {
    ...options,
    // The name of each file in `assets` contains a hash of its content, so a file never changes.
    serveStatic: { setHeaders: headerSetter('public, max-age=31536000, immutable'), index: false, redirect: false },
  });
  const others = expressStaticGzip(folder, {
    ...options,
    serveStatic: { setHeaders: headerSetter('no-cache'), index: false, redirect: false },
  });
  app.use('/assets', onlyForReads(assets));
  app.use(
    onlyForReads((request, response, next) => {
      if (NOT_PAGES.test(request.path)) return next();
      if (!FILE_PATH.test(request.path)) request.url = '/index.html';
      others(request, response, next);
    }),
  );
}

const onlyForReads =
  (handler: RequestHandler): RequestHandler =>
  (request, response, next) => {
    if (!['GET', 'HEAD'].includes(request.method)) return next();
    // The server of files would answer such a path without the error envelope.
    if (!isDecodable(request.path)) return next(new ApiError('BAD_REQUEST', 'path: is not a well-formed URL'));
    return handler(request, response, next);
  };

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** Whether this module answers with a page or a file of a page; known once its headers are set. */
export function isPageResponse(response: ServerResponse): boolean {
  return pageAnswers.has(response);
}

function headerSetter(cacheControl: string) {
  return (response: ServerResponse) => {
    pageAnswers.add(response);
    const headers = { ...PAGE_HEADERS, 'Cache-Control': cacheControl };
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  };
}
