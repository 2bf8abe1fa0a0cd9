import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../support/deployment/settings';

const folder = mkdtempSync(join(tmpdir(), 'batuta-launch-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** How a process ends that launches this bundle. */
function launch(bundle: string) {
  copyFileSync(join(ROOT, 'scripts', 'lib', 'launch-bundle.cjs'), join(folder, 'main.js'));
  writeFileSync(join(folder, 'main.bundle.js'), bundle);
  const { status, signal } = spawnSync(process.execPath, [join(folder, 'main.js')]);
  return { status, signal };
}

test.each(['SIGTERM', 'SIGINT'])('%s while the bundle of a service loads reaches the handler of the bundle', (sent) => {
  const bundle = `process.kill(process.pid, '${sent}');
    process.on('${sent}', () => process.exit(7));
    setTimeout(() => undefined, 60_000);`;
  expect(launch(bundle)).toEqual({ status: 7, signal: null });
});

test('once the bundle has loaded, the launcher handles no signal', () => {
  const bundle = `setImmediate(() => process.exit(process.listenerCount('SIGTERM') + process.listenerCount('SIGINT')));`;
  expect(launch(bundle)).toEqual({ status: 0, signal: null });
});
