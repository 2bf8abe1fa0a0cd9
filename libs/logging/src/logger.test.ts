import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, logTo, MAX_WAITING_LOG_BYTES } from './logger';

const folder = mkdtempSync(join(tmpdir(), 'batuta-logger-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a log whose disk is full ends nothing, and what waits for the disk is bounded', async () => {
  const full = openSync('/dev/full', 'w');
  let dropped = 0;
  const logger = createLogger(
    'agent',
    'info',
    logTo(full).on('drop', () => (dropped += 1)),
  );
  const text = 'x'.repeat(MAX_WAITING_LOG_BYTES / 2);
  for (let line = 1; line <= 5; line += 1) logger.info(text);
  // Errors of a destination are emitted as events, also in later turns of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  expect(dropped).toBe(4);
  closeSync(full);
});

test('a log writes each line at once', () => {
  const path = join(folder, 'log');
  const file = openSync(path, 'w');
  createLogger('agent', 'info', logTo(file)).info('a line');
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ service: 'agent', msg: 'a line' });
  closeSync(file);
});
