import { createLogger } from '@batuta/observability';
import { Controller, Get, Post, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request, Response } from 'express';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { AnswerAdapter } from './answer-adapter';
import { EnvelopeFilter } from './envelope.filter';
import { LargeAnswers } from './large-answers';

const LARGE_TEXT = 'é'.repeat(450_000);
const made: string[] = [];

@Controller()
class AnswersController {
  @Get('large')
  large(): object {
    made.push('GET /large');
    return { text: LARGE_TEXT };
  }

  @Post('large')
  change(): object {
    made.push('POST /large');
    return { text: LARGE_TEXT };
  }

  @Get('small')
  small(): object {
    return { text: 'é' };
  }

  @Get('text')
  text(): string {
    return 'a text';
  }

  @Get('nothing')
  nothing(): void {}
}

/** Waits for room before a route makes its answer, as the guards of the services do. */
const guard: CanActivate = {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    await answers.roomFor(http.getRequest<Request>().get('tenant') ?? '', http.getResponse<Response>());
    return true;
  },
};

let app: NestExpressApplication;
let url: string;
let answers: LargeAnswers;

beforeEach(async () => {
  made.length = 0;
  answers = new LargeAnswers({ waitMs: 20, unknownSizeWaitMs: 20, readMs: 60_000 });
  const module = await Test.createTestingModule({ controllers: [AnswersController] }).compile();
  const tenantOf = (request: Request) => request.get('tenant');
  app = module.createNestApplication<NestExpressApplication>(new AnswerAdapter(answers, tenantOf), { logger: false });
  app.useGlobalGuards(guard);
  app.useGlobalFilters(new EnvelopeFilter(createLogger('test', 'silent')));
  await app.listen(0, '127.0.0.1');
  url = await app.getUrl();
});

afterEach(() => app?.close());

const ask = async (path: string, { tenant = 'a', method = 'GET' } = {}) => {
  const response = await fetch(`${url}/${path}`, { method, headers: { tenant } });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

/** Admits an answer of two megabytes that the tenant does not read. */
function leaveUnread(tenant: string): ServerResponse {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  answers.admit(tenant, response, 2 * 1024 * 1024);
  return response;
}

test('a large answer that does not fit is refused before it is sent, and small ones and other tenants are not', async () => {
  const unread = leaveUnread('a');
  const refused = await ask('large');
  expect([refused.status, JSON.parse(refused.text)]).toMatchObject([429, { error: { code: 'RATE_LIMITED' } }]);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect((await ask('small')).status).toBe(200);
  expect((await ask('large', { tenant: 'b' })).status).toBe(200);
  unread.emit('close');
  expect(JSON.parse((await ask('large')).text)).toEqual({ text: LARGE_TEXT });
});

test('while a tenant leaves answers unread, further large answers of a route are not even made', async () => {
  leaveUnread('a');
  for (let n = 0; n < 3; n += 1) expect((await ask('large')).status).toBe(429);
  expect(made).toEqual(['GET /large']);
});

test('a change whose answer does not fit is not refused, because it was made: its connection is cut', async () => {
  leaveUnread('a');
  await expect(ask('large', { method: 'POST' })).rejects.toThrow('fetch failed');
  expect(made).toEqual(['POST /large']);
  // The next request is refused before it changes something.
  expect((await ask('large', { method: 'POST' })).status).toBe(429);
  expect(made).toEqual(['POST /large']);
});

test('an answer is the JSON of what the route returns, a text as it is, or empty', async () => {
  const { text, headers } = await ask('small');
  expect([text, headers.get('content-type')]).toEqual(['{"text":"é"}', 'application/json; charset=utf-8']);
  expect([(await ask('text')).text, (await ask('nothing')).text]).toEqual(['a text', '']);
});
