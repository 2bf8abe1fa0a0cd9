import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { waitUntil } from '../../../../../test/support/wait-until';
import { isAlive } from '../../../test/runner-world';
import { enforceableLimitsOn, limitedNode } from './enforceable-limits';

const LIMITS = { memoryMegabytes: 256, cpuSeconds: 100, openFiles: 100 };
const enforceableHere = enforceableLimitsOn();

test('a machine without a shell and without /proc starts node itself', () => {
  const none = { shell: false, parentDeath: false, procfs: false };
  expect(limitedNode('node', ['--flag'], LIMITS, none)).toEqual({ execPath: 'node', execArgv: ['--flag'] });
  expect(enforceableLimitsOn('win32')).toEqual(none);
});

test('a process that computes without a pause ends with the agent', async () => {
  if (!enforceableHere.parentDeath) return;
  const { execPath, execArgv } = limitedNode('sleep', ['3600'], LIMITS, enforceableHere);
  const start = `const { pid } = require('node:child_process').spawn(...${JSON.stringify([execPath, execArgv])}, { detached: true });
    console.log(pid); setInterval(() => {}, 1000);`;
  const agent = spawn(process.execPath, ['-e', start], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [text] = await once(agent.stdout, 'data');
  const pid = Number(String(text));
  expect(isAlive(pid)).toBe(true);
  await waitUntil('the process has its program', () => readFileSync(`/proc/${pid}/comm`, 'utf8') === 'sleep\n');
  agent.kill('SIGKILL');
  await waitUntil('the process is gone', () => !isAlive(pid));
});
