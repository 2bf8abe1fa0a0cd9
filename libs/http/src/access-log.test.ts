import type { Logger } from '@batuta/observability';
import { createLogger } from '@batuta/observability';
import { Controller, Get, type INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { once } from 'node:events';
import { waitUntil } from '../../../test/support/wait-until';
import { accessLog, assignRequestID, type LoggedAnswer } from './index';

@Controller()
class PetController {
  @Get('pets/:name')
  pet() {
    return { ok: true };
  }

  @Get('slow')
  slow() {
    return new Promise(() => {});
  }

  @Get('health/live')
  live() {
    return { ok: true };
  }
}

let app: INestApplication;
let url: string;
const lines: { level: string; fields: object }[] = [];
const answers: LoggedAnswer[] = [];

beforeAll(async () => {
  const logger: Logger = Object.assign(createLogger('test', 'silent'), {
    info: (fields: object) => lines.push({ level: 'info', fields }),
    debug: (fields: object) => lines.push({ level: 'debug', fields }),
  });
  app = (await Test.createTestingModule({ controllers: [PetController] }).compile()).createNestApplication();
  const log = accessLog(logger, { record: (answer) => answers.push(answer), tenantOf: () => ({ account: 'a-1' }) });
  app.use(assignRequestID, log);
  await app.listen(0, '127.0.0.1');
  url = await app.getUrl();
});
beforeEach(() => {
  lines.length = 0;
  answers.length = 0;
});
afterAll(() => app?.close());

test('the line of a request has the pattern of its route instead of its path, its id and its tenant', async () => {
  await fetch(`${url}/pets/rex`, { headers: { 'X-Request-Id': 'r-1' } });
  await waitUntil('the line', () => lines.length === 1);
  const [line] = lines;
  expect(line).toMatchObject({
    level: 'info',
    fields: { requestID: 'r-1', method: 'GET', route: '/pets/:name', status: 200, account: 'a-1' },
  });
  expect(answers).toMatchObject([{ method: 'GET', route: '/pets/:name', status: 200 }]);
});

test('a path without a route is logged without it', async () => {
  await fetch(`${url}/secret-token`);
  await waitUntil('the line', () => lines.length === 1);
  expect(lines[0]?.fields).toMatchObject({ route: 'none', status: 404 });
});

test('a probe is logged at debug level only', async () => {
  await fetch(`${url}/health/live`);
  await waitUntil('the line', () => lines.length === 1);
  expect(lines[0]?.level).toBe('debug');
});

test('a request whose client leaves before the answer is logged as aborted', async () => {
  const abort = new AbortController();
  const arrived = once(app.getHttpServer(), 'request');
  const left = fetch(`${url}/slow`, { signal: abort.signal }).catch(() => 'left');
  await arrived;
  abort.abort();
  expect(await left).toBe('left');
  await waitUntil('the line', () => lines.length === 1);
  expect(lines[0]?.fields).toMatchObject({ route: '/slow', status: 'aborted' });
});
