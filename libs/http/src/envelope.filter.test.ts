import { ApiError } from '@batuta/errors';
import { createLogger } from '@batuta/observability';
import { Controller, Get, Module, Res, type INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Response } from 'express';
import request from 'supertest';
import { assignRequestID, EnvelopeFilter } from '.';

@Controller()
class FailingController {
  @Get('refused/:id')
  refused(): never {
    throw new ApiError('MISSING_CREDENTIAL', 'Authorization: is missing');
  }

  @Get('databaseDown')
  databaseDown(): never {
    throw new Error('connection lost');
  }

  @Get('tagged')
  tagged(@Res() response: Response): never {
    response.setHeader('ETag', '"1"');
    throw new ApiError('RATE_LIMITED');
  }

  @Get('unforeseen')
  unforeseen(): never {
    throw Object.assign(new Error('a fault'), { parameters: ['s3cret'] });
  }

  @Get('interrupted')
  interrupted(@Res() response: Response): never {
    response.write('half of');
    throw new Error('a fault');
  }
}

@Module({ controllers: [FailingController] })
class FailingModule {}

let app: INestApplication;
const logger = createLogger('test', 'silent');
let loggedErrors: jest.SpiedFunction<typeof logger.error>;

beforeAll(async () => {
  loggedErrors = jest.spyOn(logger, 'error');
  app = await NestFactory.create(FailingModule, { logger: false });
  app.use(assignRequestID);
  const filter = new EnvelopeFilter(logger, {
    notFoundMessage: 'No such path.',
    internalMessage: (id) => `A fault, ${id}.`,
    translate: (thrown) => (Object(thrown).message === 'connection lost' ? new ApiError('UNAVAILABLE') : thrown),
    headersOf: ({ status }): Record<string, string> => (status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
  });
  app.useGlobalFilters(filter);
  await app.listen(0, '127.0.0.1');
});
afterAll(() => app.close());
beforeEach(() => loggedErrors.mockClear());

const get = (path: string) => request(app.getHttpServer()).get(path).set('X-Request-Id', 'call-7');

test('a refusal does not have the ETag that the route has set for its answer', async () => {
  const { status, headers } = await get('/tagged');
  expect(status).toBe(429);
  expect(headers['etag']).not.toBe('"1"');
});

test.each([
  ['/refused/1', 401, 'MISSING_CREDENTIAL', 'Authorization: is missing'],
  ['/databaseDown', 503, 'UNAVAILABLE', expect.any(String)],
  ['/none', 404, 'NOT_FOUND', 'No such path.'],
  ['/refused/%zz', 400, 'BAD_REQUEST', 'path: is not a well-formed URL'],
])('%s is answered with the envelope of its error and is not logged', async (path, status, code, message) => {
  const { body, ...answer } = await get(path);
  expect([answer.status, body]).toEqual([status, { error: { code, message } }]);
  expect(answer.headers['www-authenticate']).toBe(status === 401 ? 'Bearer' : undefined);
  expect(loggedErrors).not.toHaveBeenCalled();
});

test('an unforeseen fault is INTERNAL with the request id; the log holds its stack and none of its members', async () => {
  const { status, body } = await get('/unforeseen');
  expect([status, body]).toEqual([500, { error: { code: 'INTERNAL', message: 'A fault, call-7.' } }]);
  expect(loggedErrors.mock.calls).toEqual([
    [{ fault: expect.stringContaining('Error: a fault') }, 'a request failed with an unexpected fault'],
  ]);
});

test('an answer that fails half way is cut, so that no client takes the part for the whole', async () => {
  await expect(get('/interrupted')).rejects.toThrow(/aborted|hang up/);
});

test.each([
  ['kept', 'order-17/retry#2', 'order-17/retry#2'],
  ['replaced when it has a space', 'a b', expect.stringMatching(/^[0-9a-f-]{36}$/)],
  ['replaced when it has 65 characters', 'x'.repeat(65), expect.stringMatching(/^[0-9a-f-]{36}$/)],
])("the caller's X-Request-Id is %s", async (_rule, sent, answered) => {
  const { headers } = await get('/none').set('X-Request-Id', sent);
  expect(headers['x-request-id']).toEqual(answered);
});
