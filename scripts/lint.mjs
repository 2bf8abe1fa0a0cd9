// npm run lint: oxlint with the type check, then the check of the format.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './lib/find-servers.cjs';

/**
 * Settings of the type check, a Go program that computes the types once for each processor. With one processor and less frequent garbage
 * collection it takes a third less processor time, and no more memory.
 */
const TYPE_CHECK_SETTINGS = { GOMAXPROCS: '1', GOGC: '400' };
const CHECKS = [
  ['oxlint', '--type-aware', '--type-check', '--deny-warnings'],
  ['oxfmt', '--check'],
];

const failedChecks = CHECKS.filter(([name, ...args]) => {
  const { status } = spawnSync(process.execPath, [join(ROOT, 'node_modules', name, 'bin', name), ...args], {
    cwd: ROOT,
    env: { ...TYPE_CHECK_SETTINGS, ...process.env },
    stdio: 'inherit',
  });
  return status !== 0;
});
process.exitCode = failedChecks.length > 0 ? 1 : 0;
