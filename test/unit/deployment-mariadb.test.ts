import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { ROOT } from '../support/deployment/settings';
import { createTestDatabase } from '../support/servers';

/** Settings whose name in the server differs from their name in the configuration file. */
const VARIABLES: Record<string, string> = {
  'skip-log-bin': 'log_bin',
  'default-time-zone': 'time_zone',
  'transaction-isolation': 'tx_isolation',
};
const A_NUMBER: unknown = expect.stringMatching(/^\d+$/);
/** A laptop's are smaller. */
const SIZES = ['innodb-buffer-pool-size', 'innodb-log-file-size'];

const shipped = readFileSync(join(ROOT, 'k8s', 'base', 'mariadb.cnf'), 'utf8')
  .split('\n')
  .filter((line) => /^[a-z]/.test(line))
  .map((line) => line.split(/\s*=\s*/));

let variables: Map<string, string>;

beforeAll(async () => {
  const database = await createTestDatabase();
  const connection = await createConnection(database.url);
  const [rows] = await connection.query<RowDataPacket[]>('SHOW GLOBAL VARIABLES');
  variables = new Map(rows.map((row) => [String(row['Variable_name']), String(row['Value'])]));
  await connection.end();
  await database.drop();
});

function variable(setting: string): string | undefined {
  return variables.get(VARIABLES[setting] ?? setting.replaceAll('-', '_'));
}

test.each(shipped)('the shipped database and the tested one have the same %s', (setting = '', value) => {
  expect(variable(setting)).toEqual(wanted(setting, value));
});

function wanted(setting: string, value: string | undefined): unknown {
  if (SIZES.includes(setting)) return A_NUMBER;
  if (value === undefined) return setting === 'skip-log-bin' ? 'OFF' : 'ON';
  return value.replace(/^(\d+)M$/, (_whole, count: string) => String(Number(count) * 1024 * 1024));
}
