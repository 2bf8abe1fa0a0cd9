import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { ROOT } from '../support/deployment/settings';
import { createTestDatabase } from '../support/servers';
import { ensureServers } from '../../scripts/lib/servers.cjs';

/** Settings whose name in the server differs from their name in the configuration file. */
const VARIABLE_OF_SETTING: Record<string, string> = {
  'default-time-zone': 'time_zone',
  'transaction-isolation': 'tx_isolation',
};
const ANY_NUMBER: unknown = expect.stringMatching(/^\d+$/);
/** Settings about sizes of memory and files, for which the database of tests has its own values. */
const SIZE_SETTINGS = ['innodb-buffer-pool-size', 'innodb-log-file-size', 'max-connections'];

/** Settings of the binary log, which tests and the demo do without: it costs a flush to the disk for each transaction. */
const BINARY_LOG_SETTINGS: Record<string, string> = {
  'log-bin': 'binlog',
  'binlog-format': 'ROW',
  'sync-binlog': '1',
  'max-binlog-size': '256M',
  'binlog-expire-logs-seconds': '604800',
};

const CONFIG_FILE = join(ROOT, 'k8s', 'overlays', 'local', 'mariadb.cnf');
const shippedSettings = readFileSync(CONFIG_FILE, 'utf8')
  .split('\n')
  .filter((line) => /^[a-z]/.test(line))
  .map((line) => line.split(/\s*=\s*/));

const sharedSettings = shippedSettings.filter(([setting = '']) => !(setting in BINARY_LOG_SETTINGS));

let variables: Map<string, string>;

beforeAll(async () => {
  const database = await createTestDatabase();
  const connection = await createConnection(database.url);
  const [rows] = await connection.query<RowDataPacket[]>('SHOW GLOBAL VARIABLES');
  variables = new Map(rows.map((row) => [String(row['Variable_name']), String(row['Value'])]));
  await connection.end();
  await database.drop();
});

function readVariable(setting: string): string | undefined {
  return variables.get(VARIABLE_OF_SETTING[setting] ?? setting.replaceAll('-', '_'));
}

test.each(sharedSettings)('the shipped database and the tested one have the same %s', (setting = '', value) => {
  expect(readVariable(setting)).toEqual(expectedValue(setting, value));
});

function expectedValue(setting: string, value: string | undefined): unknown {
  if (SIZE_SETTINGS.includes(setting)) return ANY_NUMBER;
  if (value === undefined) return 'ON';
  return value.replace(/^(\d+)M$/, (_whole, count: string) => String(Number(count) * 1024 * 1024));
}

test('the shipped database keeps a binary log of a week, to which a transaction is flushed before it is accepted', () => {
  const given = Object.fromEntries(shippedSettings.filter(([setting = '']) => setting in BINARY_LOG_SETTINGS));
  expect(given).toEqual(BINARY_LOG_SETTINGS);
});

test('the server understands the shipped settings of the binary log', async () => {
  const { mariadbd } = await ensureServers();
  const args = [`--defaults-file=${CONFIG_FILE}`, '--verbose', '--help'];
  const { stdout } = await promisify(execFile)(mariadbd, args, { maxBuffer: 1 << 22 });
  for (const [setting, value] of Object.entries(BINARY_LOG_SETTINGS))
    expect(new RegExp(`^${setting} +(\\S+)$`, 'm').exec(stdout)?.[1]).toBe(expectedValue(setting, value));
});
