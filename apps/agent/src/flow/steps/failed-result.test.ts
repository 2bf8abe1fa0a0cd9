import { createServer } from 'node:http';
import type { Server } from 'node:net';
import type { RestStep, Step } from '@batuta/flow';
import { listenOnFreePort } from '../../../../../test/support/web-server';
import { createFlowWorld, endWithOutcome, useSandbox } from '../../../test/flow-world';
import { CLOSED_PORT } from '../../../test/tls-world';

const sandbox = useSandbox({ workers: 1 });
let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/pdf' }).end(Buffer.from([0x25, 0x50, 0xff]));
  });
  url = `http://127.0.0.1:${await listenOnFreePort(server)}/`;
});
afterAll(() => server.close());

const call = (name: string, address: string, next: Pick<RestStep, 'routes' | 'onError'>): RestStep => {
  return { name, type: 'rest', method: 'GET', url: address, as: 'reply', ...next };
};
const shown: Step = {
  name: 'show',
  type: 'variables',
  rows: [{ name: 'shown', mode: 'Variável ou texto', value: 'status {reply.status}, file {reply.FILE}.' }],
};

test('onError can read the result of a call that had no answer: it is empty', async () => {
  const world = createFlowWorld(sandbox);
  const onError: RestStep['onError'] = [{ when: '{reply.status} == 404', terminate: true }, { to: 'show' }];
  const end = await world.run([call('call', `http://127.0.0.1:${CLOSED_PORT}/`, { onError }), shown]);
  expect(end).toEqual(endWithOutcome('FINALIZED'));
  expect(world.messages()).toContain('shown = "status , file ."');
});

test('a call without an answer keeps the answer of an earlier pass, so that the flow can repeat the page that failed', async () => {
  const world = createFlowWorld(sandbox);
  await world.run([
    call('first', url, { routes: [{ to: 'second' }] }),
    call('second', `http://127.0.0.1:${CLOSED_PORT}/`, { onError: [{ to: 'show' }] }),
    shown,
  ]);
  expect(world.messages()).toContain('shown = "status 200, file file:1/file."');
});

test('a script that fails leaves its variable as it was, because it may be what the script adds to', async () => {
  const world = createFlowWorld(sandbox);
  await world.run([
    { name: 'first', type: 'script', code: 'return 7', as: 'sum', routes: [{ to: 'second' }] },
    { name: 'second', type: 'script', code: 'return {sum} + missing', as: 'sum', onError: [{ to: 'show' }] },
    { ...shown, rows: [{ name: 'shown', mode: 'Variável ou texto', value: 'sum {sum}' }] },
  ]);
  expect(world.messages()).toContain('shown = "sum 7"');
});

test('onError can read the result of a script that failed before it had one', async () => {
  const world = createFlowWorld(sandbox);
  const end = await world.run([
    {
      name: 'script',
      type: 'script',
      code: 'return missing',
      as: 'sum',
      onError: [{ when: '{sum} == null', to: 'show' }],
    },
    { ...shown, rows: [{ name: 'shown', mode: 'Variável ou texto', value: 'sum "{sum}"' }] },
  ]);
  expect(end).toEqual(endWithOutcome('FINALIZED'));
});
