import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@batuta/logging';
import { openLogFile } from './log-file';

const folder = mkdtempSync(join(tmpdir(), 'batuta-log-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('the log goes to numbered files of a bounded size, of which the oldest are deleted', async () => {
  const logs = join(folder, 'logs');
  const stream = await openLogFile({ path: join(logs, 'agent.log'), megabytes: 1, kept: 2 });
  const logger = createLogger('agent', 'info', stream);
  const text = 'x'.repeat(100_000);
  for (let line = 1; line <= 60; line += 1) {
    logger.info({ line }, text);
    // A file is closed, and old ones are deleted, in later turns of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
  }
  await until(() => readdirSync(logs).length <= 3);
  const files = readdirSync(logs);
  expect(files.every((file) => /^agent\.\d+\.log$/.test(file))).toBe(true);
  expect(files).not.toContain('agent.1.log');
  for (const file of files) expect(statSync(join(logs, file)).size).toBeLessThan(2_200_000);
  const numbers = files.flatMap((file) => readFileSync(join(logs, file), 'utf8').match(/(?<="line":)\d+/g) ?? []);
  expect(numbers).toContain('60');
});

async function until(isSo: () => boolean): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!isSo()) {
    if (Date.now() > deadline) throw new Error(`not so: ${String(isSo)} ${readdirSync(join(folder, 'logs')).join()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
