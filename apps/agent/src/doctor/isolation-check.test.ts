import os from 'node:os';
import { MISBEHAVING_PROGRAM } from '../../test/runner-world';
import { readAgentConfig } from '../config';
import { checkIsolation, limitsFinding } from './isolation-check';

const config = readAgentConfig({ BATUTA_ROUTER_URL: 'ws://router.example.com', BATUTA_AGENT_KEY: 's3cret' });

test('the doctor starts a process for an execution and says how long it took', async () => {
  const finding = await checkIsolation(config, MISBEHAVING_PROGRAM);
  expect(finding).toMatchObject({ check: 'isolation', state: 'ok' });
  expect(finding.found).toMatch(/^a process for an execution is ready after \d+ ms; /);
});

test('a process that does not start is a fault with the reason', async () => {
  const finding = await checkIsolation(config, '/no/such/program.js');
  expect(finding).toMatchObject({ state: 'fault', advice: expect.stringContaining('--isolation none') });
  expect(finding.found).toContain('does not start');
});

test('a temporary folder that cannot be written is a fault that names it', async () => {
  const spy = jest.spyOn(os, 'tmpdir').mockReturnValue('/no/such/folder');
  const finding = await checkIsolation(config, MISBEHAVING_PROGRAM);
  expect(finding).toMatchObject({ state: 'fault', found: expect.stringContaining('/no/such/folder') });
  spy.mockRestore();
});

test('the doctor names the limits that a machine does not enforce', () => {
  const foundWhen = (enforced: boolean) =>
    limitsFinding(80, { shell: enforced, parentDeath: enforced, procfs: enforced }).found;
  expect(foundWhen(true)).toBe('a process for an execution is ready after 80 ms; all limits are enforced');
  expect(foundWhen(false)).toMatch(/does not enforce the limit of open files, memory and .*, the end of a computing/);
});
