import { createServer } from 'node:http';
import { createLogger } from '@batuta/logging';
import { Logger, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { listenOnFreePort } from '../../../test/support/web-server';
import { nestLogger } from './nest-logger';

@Module({})
class EmptyModule {}

let lines: string[];
beforeEach(() => {
  lines = [];
});
afterEach(() => Logger.overrideLogger(false));

const startLogged = () =>
  NestFactory.create(EmptyModule, {
    logger: nestLogger(createLogger('test', 'info', { write: (line) => void lines.push(line) })),
    abortOnError: false,
  });

test('an address on which an application cannot listen is thrown, and Nest adds no line of its own', async () => {
  const taken = createServer();
  const port = await listenOnFreePort(taken);
  const app = await startLogged();
  await expect(app.listen(port, '127.0.0.1')).rejects.toThrow('EADDRINUSE');
  await app.close();
  taken.close();
  expect(lines).toEqual([]);
});

test('other errors of Nest are logged with their context', async () => {
  const app = await startLogged();
  new Logger('Server').error('the connection is lost');
  await app.close();
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 50, context: 'Server', msg: 'the connection is lost' },
  ]);
});
