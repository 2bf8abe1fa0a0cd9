import type { ServicePasswords } from '@batuta/config';
import { openStore } from './data-source';
import { databaseErrorCode } from './driver';
import { MIGRATIONS } from './migrations';
import { DATABASE_RIGHTS, DATABASE_SERVICES, type DatabaseService, type DatabaseVerb } from './rights';
import type { Store } from './store';

const SQL_VERBS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const;
/** Errors of REVOKE that say that there was nothing to take away. */
const NOTHING_TO_REVOKE_CODES = ['ER_NONEXISTING_TABLE_GRANT', 'ER_NONEXISTING_GRANT'];

export interface ServiceUsers {
  /** The beginning of the users' names; the service's name follows. */
  prefix: string;
  /** Services without a password here get no user. */
  passwords: Partial<ServicePasswords>;
}

/**
 * Creates the database user of each service, or sets its password, and gives it the rights of DATABASE_RIGHTS and no
 * others. The user in `url` needs CREATE USER, and all rights to the database WITH GRANT OPTION. A run may be repeated while the services
 * run, because it never revokes a right that it grants again. A release that finds migrations of a newer release revokes nothing. When
 * `url` demands TLS, the users must use TLS too.
 */
export async function createServiceUsers(url: string, { prefix, passwords }: ServiceUsers): Promise<void> {
  const requiresTls = !['false', null].includes(new URL(url).searchParams.get('ssl'));
  const store = await openStore({ url, pool: 1 }, [], { waitMs: 0 });
  try {
    const tables = await listTables(store);
    const isMariadb = await runsMariadb(store);
    const isNewest = await knowsAllMigrations(store);
    for (const service of DATABASE_SERVICES) {
      const password = passwords[service];
      if (password === undefined) continue;
      const user = `${prefix}${service}`;
      await setUser(store, user, password, requiresTls);
      for (const table of tables) {
        const verbs = verbsOf(service, table, isMariadb);
        await grant(store, user, table, verbs);
        if (isNewest) await revokeOthers(store, user, table, verbs);
      }
    }
  } finally {
    await store.close();
  }
}

/** MySQL demands a right to write for a locking read; MariaDB does not. */
function verbsOf(service: DatabaseService, table: string, isMariadb: boolean): DatabaseVerb[] {
  const verbs = DATABASE_RIGHTS[service][table] ?? [];
  return SQL_VERBS.filter(
    (verb) => verbs.includes(verb) || (verb === 'UPDATE' && verbs.includes('LOCK') && !isMariadb),
  );
}

async function setUser(store: Store, user: string, password: string, requiresTls: boolean): Promise<void> {
  await store.write("CREATE USER IF NOT EXISTS ?@'%' IDENTIFIED BY ?", [user, password]);
  await store.write(`ALTER USER ?@'%' IDENTIFIED BY ? REQUIRE ${requiresTls ? 'SSL' : 'NONE'}`, [user, password]);
}

async function grant(store: Store, user: string, table: string, verbs: DatabaseVerb[]): Promise<void> {
  if (verbs.length > 0) await store.write(`GRANT ${verbs.join(', ')} ON \`${table}\` TO ?@'%'`, [user]);
}

async function revokeOthers(store: Store, user: string, table: string, verbs: DatabaseVerb[]): Promise<void> {
  const others = SQL_VERBS.filter((verb) => !verbs.includes(verb));
  if (others.length === 0) return;
  try {
    await store.write(`REVOKE ${others.join(', ')} ON \`${table}\` FROM ?@'%'`, [user]);
  } catch (error) {
    if (!NOTHING_TO_REVOKE_CODES.includes(databaseErrorCode(error) ?? '')) throw error;
  }
}

/** False during a rollback, while services of a newer release, whose rights this one does not know, still run. */
async function knowsAllMigrations(store: Store): Promise<boolean> {
  const known: string[] = MIGRATIONS.map((Migration) => new Migration().name);
  const applied = await store.rows<{ name: string }>('SELECT name FROM schema_migration');
  return applied.every(({ name }) => known.includes(name));
}

async function listTables(store: Store): Promise<string[]> {
  const rows = await store.rows<{ name: string }>(
    'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY table_name',
  );
  return rows.map(({ name }) => name);
}

async function runsMariadb(store: Store): Promise<boolean> {
  const row = await store.row<{ version: string }>('SELECT VERSION() AS version');
  return row?.version.includes('MariaDB') ?? false;
}

/**
 * The rights that the user of `store` lacks to run the service, such as `UPDATE ON instance`; rights to the whole
 * database count too.
 */
export async function missingRights(store: Store, service: DatabaseService): Promise<string[]> {
  const rows = await store.rows<{ name: string | null; verb: string }>(
    `SELECT table_name AS name, privilege_type AS verb FROM information_schema.table_privileges WHERE table_schema = DATABASE()
     UNION ALL SELECT NULL, privilege_type FROM information_schema.schema_privileges
        WHERE DATABASE() LIKE table_schema OR DATABASE() = table_schema
     UNION ALL SELECT NULL, privilege_type FROM information_schema.user_privileges`,
  );
  const has = (table: string, verb: string) =>
    rows.some((row) => (row.name === null || row.name === table) && row.verb.toUpperCase() === verb);
  const isMariadb = await runsMariadb(store);
  return Object.keys(DATABASE_RIGHTS[service]).flatMap((table) =>
    verbsOf(service, table, isMariadb).flatMap((verb) => (has(table, verb) ? [] : [`${verb} ON ${table}`])),
  );
}
