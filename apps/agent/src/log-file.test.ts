import fs, { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@batuta/logging';
import { openLogFiles } from './log-file';

const folder = mkdtempSync(join(tmpdir(), 'batuta-log-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('the log goes to numbered files of a bounded size, of which the oldest are deleted', async () => {
  const logs = join(folder, 'logs');
  const stream = await openLogFiles({ path: join(logs, 'agent.log'), megabytes: 1, keptFiles: 2 });
  const logger = createLogger('agent', 'info', stream);
  const text = 'x'.repeat(100_000);
  for (let line = 1; line <= 60; line += 1) {
    logger.info({ line }, text);
    // The logger closes a file, and deletes old ones, in later turns of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
  }
  await waitUntil(() => Object.keys(contentsOf(logs)).length <= 3 && Object.values(contentsOf(logs)).some(hasLastLine));
  const contents = contentsOf(logs);
  const files = Object.keys(contents);
  expect(files.every((file) => /^agent\.\d+\.log$/.test(file))).toBe(true);
  expect(files).not.toContain('agent.1.log');
  for (const content of Object.values(contents)) expect(content.length).toBeLessThan(2_200_000);
});

test('the agent writes to its log file again once a full disk has room', async () => {
  const recovered = join(folder, 'recovered');
  const stream = await openLogFiles({ path: join(recovered, 'agent.log'), megabytes: 10, keptFiles: 2 });
  const logger = createLogger('agent', 'info', stream);
  const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
  const stderrWrites = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  const disk = jest.spyOn(fs, 'writeSync').mockImplementation(() => {
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  });
  try {
    for (let line = 1; line <= 15; line += 1) logger.info({ line }, 'x'.repeat(100_000));
    disk.mockRestore();
    clock.mockReturnValue(1_000);
    for (let line = 16; line <= 17; line += 1) logger.info({ line }, 'x'.repeat(100_000));
  } finally {
    disk.mockRestore();
    clock.mockRestore();
    stderrWrites.mockRestore();
  }
  const lines = Object.values(contentsOf(recovered)).join('').trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).line)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 17]);
});

test('a log file that cannot be opened is refused, and the refusal names its setting', async () => {
  const path = join(__filename, 'agent.log');
  await expect(openLogFiles({ path, megabytes: 1, keptFiles: 2 })).rejects.toThrow(
    `BATUTA_AGENT_LOG_FILE: ${path} cannot be written: `,
  );
});

const hasLastLine = (content: string) => content.includes('"line":60,');

/** The contents of a folder's files, sorted by name; a file may be deleted meanwhile. */
function contentsOf(logs: string): Record<string, string> {
  const contents: Record<string, string> = {};
  for (const file of readdirSync(logs)) {
    try {
      contents[file] = readFileSync(join(logs, file), 'utf8');
    } catch (error) {
      if (Object(error).code !== 'ENOENT') throw error;
    }
  }
  return contents;
}

async function waitUntil(isSo: () => boolean): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!isSo()) {
    if (Date.now() > deadline) throw new Error(`not so: ${String(isSo)} ${readdirSync(join(folder, 'logs')).join()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
