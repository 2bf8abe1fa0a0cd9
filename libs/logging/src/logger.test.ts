import fs, { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
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
  // The error event of a full disk may come in a later turn of the event loop; without the listener of `logTo` it would fail this test.
  await new Promise((resolve) => setImmediate(resolve));
  expect(dropped).toBe(4);
  closeSync(full);
});

test('after more lines than may wait, the log goes on when the disk has room again, which is tried once a second', () => {
  const path = join(folder, 'recovered');
  const file = openSync(path, 'w');
  const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
  const disk = jest.spyOn(fs, 'writeSync').mockImplementation(() => {
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  });
  try {
    const logger = createLogger('agent', 'info', logTo(file));
    const text = 'x'.repeat(MAX_WAITING_LOG_BYTES / 2);
    for (let line = 1; line <= 2; line += 1) logger.info({ line }, text);
    const tries = disk.mock.calls.length;
    logger.info({ line: 3 }, text);
    expect(disk).toHaveBeenCalledTimes(tries);
    disk.mockRestore();
    clock.mockReturnValue(1_000);
    for (let line = 4; line <= 5; line += 1) logger.info({ line }, text);
  } finally {
    disk.mockRestore();
    clock.mockRestore();
    closeSync(file);
  }
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).line)).toEqual([1, 5]);
});

test('a log writes each line at once', () => {
  const path = join(folder, 'log');
  const file = openSync(path, 'w');
  createLogger('agent', 'info', logTo(file)).info('a line');
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ service: 'agent', msg: 'a line' });
  closeSync(file);
});
