import { execution } from '@batuta/contracts';
import { v7 as uuid } from 'uuid';
import {
  connectAgent,
  countOf,
  registerProcess,
  startRequest,
  startWorld,
  type ExecutionWorld,
} from '../../test/world';

let world: ExecutionWorld;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const MATRIX = [
  { name: 'total', type: 'Moeda' },
  { name: 'pin', type: 'Secreto' },
  { name: 'note', type: 'Texto', default: 'none' },
];

test('a dry run returns the converted values, the environment and the status, and stores nothing', async () => {
  const at = await registerProcess(world.store, { matrix: MATRIX });
  const { trigger, processID } = startRequest(at);
  const request = { processID, trigger, matrix: { total: 'R$ 1.234,56', pin: '1234' } };
  const environment = { environmentID: at.environmentID, name: 'Plant', online: false };
  const values = { total: 1234.56, pin: '•••', note: 'none' };
  expect(await world.rpc.call(execution.dryRun, request)).toEqual({
    matrix: values,
    refusals: [],
    environment,
    status: 'queued',
  });
  await connectAgent(world.store, at.environmentID);
  expect(await world.rpc.call(execution.dryRun, request)).toEqual({
    matrix: values,
    refusals: [],
    environment: { ...environment, online: true },
    status: 'started',
  });
  for (const table of ['instance', 'audit_event']) {
    expect(await countOf(world.store, table, 'process_id = ?', [processID])).toBe(0);
  }
  expect(await countOf(world.store, 'credit_entry', 'company_id = ?', [at.companyID])).toBe(0);
});

test('a dry run returns every refusal, in the order of the checks of a start', async () => {
  const at = await registerProcess(world.store, {
    matrix: MATRIX,
    credits: 0,
    published: false,
    ownerBlocked: true,
    offlineFlow: false,
  });
  const { trigger, processID } = startRequest(at);
  const reply = await world.rpc.call(execution.dryRun, { processID, trigger, matrix: { total: 'abc' } });
  expect(reply.refusals.map(({ code }) => code)).toEqual([
    'OWNER_INACTIVE',
    'PROCESS_NOT_PUBLISHED',
    'INVALID_MATRIX',
    'INSUFFICIENT_CREDITS',
    'AGENT_OFFLINE',
  ]);
  expect(reply).not.toHaveProperty('matrix');
  expect(reply).not.toHaveProperty('status');
  const elsewhere = await world.rpc.call(execution.dryRun, { processID, trigger, environmentID: uuid() });
  expect(elsewhere.refusals.map(({ code }) => code)).toContain('INVALID_ENVIRONMENT');
  expect(elsewhere).not.toHaveProperty('environment');
});
