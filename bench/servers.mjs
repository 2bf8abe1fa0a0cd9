import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPool } from 'mysql2/promise';
import { ROOT } from '../scripts/lib/find-servers.cjs';
import { startMariadb, startNats } from '../scripts/lib/servers.cjs';

const require = createRequire(import.meta.url);
const BENCH_CONNECTIONS = 4;

/**
 * Starts a MariaDB with the shipped settings, which flushes its log at each commit, and a NATS server, both private to this run, with
 * the schema of the built product in `checkout` and the floor's table. `settings` in the result are the settings that every service needs.
 * `mariadbOptions` = further arguments of MariaDB; with `natsMonitor` NATS serves its monitoring on a loopback port; `natsUsers` = number of
 * further users of NATS (`batuta1` and so on), each of which receives only its own messages.
 */
export async function startServers(checkout = ROOT, { mariadbOptions, natsMonitor, natsUsers } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'batuta-bench-'));
  const [mariadb, nats] = await Promise.all([
    startMariadb({ database: 'batuta', roomy: true, options: mariadbOptions }),
    startNats({ monitor: natsMonitor, separateUsers: natsUsers }),
  ]);
  const url = mariadb.databaseUrl('batuta');
  await require(join(checkout, 'dist', 'libs', 'database', 'src')).migrate(url);
  const database = createPool({ uri: url, connectionLimit: BENCH_CONNECTIONS, timezone: 'Z' });
  await database.query('CREATE TABLE floor (id char(36) CHARACTER SET ascii NOT NULL PRIMARY KEY, body text NOT NULL)');
  return {
    folder,
    mariadb,
    nats,
    database,
    settings: {
      HOST: '127.0.0.1',
      DATABASE_URL: url,
      NATS_URL: nats.url,
      SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      OPERATOR_EMAIL: 'operator@bench.batuta.local',
      OPERATOR_PASSWORD: randomBytes(12).toString('base64url'),
    },
    async stop() {
      await database.end();
      await Promise.all([nats.stop(), mariadb.stop()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
