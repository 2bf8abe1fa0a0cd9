import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  awaitSchema,
  createServiceUsers,
  DATABASE_RIGHTS,
  DATABASE_SERVICES,
  migrate,
  missingRights,
  openStore,
  Store,
  type DatabaseService,
} from '@batuta/database';
import { environmentWithSecrets, interpolate, readCompose } from '../support/deployment/compose';
import { tablesUsedBy } from '../support/deployment/database-uses';
import { OVERLAYS, renderOverlay } from '../support/deployment/kustomize';
import { containersIn, environmentOf } from '../support/deployment/manifest-parts';
import { ROOT, sampleSecret, SERVICES } from '../support/deployment/settings';
import { createTestUsers } from '../support/service-users';
import { createTestDatabase, type TestDatabase } from '../support/servers';

const MIGRATE_USER_FILE = join(ROOT, 'k8s', 'overlays', 'local', 'migrate-user.sql');
const PASSWORD = randomBytes(12).toString('hex');
const PASSWORDS = Object.fromEntries(DATABASE_SERVICES.map((service) => [service, PASSWORD]));

let database: TestDatabase;
let root: Store;
let tables: string[];
/** The URL of a user with the rights of `migrate-user.sql`, who has migrated the schema. */
let migrateURL: string;
let urls: Record<DatabaseService, string>;
const opened: Store[] = [];

const withUser = (user: string) => {
  const url = new URL(database.url);
  [url.username, url.password] = [user, PASSWORD];
  return url.href;
};

async function openAs(url: string): Promise<Store> {
  const store = await openStore({ url, pool: 1 });
  opened.push(store);
  return store;
}

beforeAll(async () => {
  database = await createTestDatabase();
  root = await openStore({ url: database.url, pool: 1 });
  const name = new URL(database.url).pathname.slice(1);
  const user = `m${randomBytes(6).toString('hex')}`;
  await root.write("CREATE USER ?@'%' IDENTIFIED BY ?", [user, PASSWORD]);
  const shipped = (await readFile(MIGRATE_USER_FILE, 'utf8')).replaceAll(/^--.*$/gm, '');
  for (const statement of shipped.split(';').filter((text) => text.trim() !== ''))
    await root.write(statement.replace("batuta@'%'", `${user}@'%'`).replace('batuta.*', `${name}.*`));
  migrateURL = withUser(user);
  await migrate(migrateURL);
  urls = await createTestUsers(migrateURL, DATABASE_SERVICES);
  tables = (await root.rows<Record<string, string>>('SHOW TABLES')).flatMap((row) => Object.values(row)).toSorted();
});

afterEach(() => jest.restoreAllMocks());
afterAll(async () => {
  await Promise.all(opened.map((store) => store.close()));
  await root?.close();
  await database?.drop();
});

test('every service has a database user', () => {
  expect(DATABASE_SERVICES).toEqual(SERVICES);
});

test.each(DATABASE_SERVICES)('%s has rights to what its code uses, and no others', (service) => {
  // Every service waits for the migrations before it starts.
  expect(DATABASE_RIGHTS[service]).toEqual({ ...tablesUsedBy(service, tables), schema_migration: ['SELECT'] });
});

/** Statements that change nothing, one for each verb. */
const HARMLESS = {
  SELECT: (table: string) => `SELECT 1 FROM ${table} LIMIT 0`,
  INSERT: (table: string) => `INSERT INTO ${table} VALUES ()`,
  UPDATE: (table: string, column: string) => `UPDATE ${table} SET ${column} = ${column} WHERE FALSE`,
  DELETE: (table: string) => `DELETE FROM ${table} WHERE FALSE`,
};

/** Whether the server refuses for a lack of rights; another refusal, such as of an empty row, does not count. */
async function isDenied(store: Store, sql: string): Promise<boolean> {
  const rejected = new Error('not stored');
  try {
    await store.transaction(async (tx) => {
      await tx.write(sql);
      throw rejected;
    });
  } catch (error) {
    return error !== rejected && /ER_(TABLE|COLUMN)ACCESS_DENIED/.test(String(Reflect.get(Object(error), 'code')));
  }
  return false;
}

test.each(DATABASE_SERVICES)(
  "%s's user may do what its rights say, and is refused everything else",
  async (service) => {
    const store = await openAs(urls[service]);
    const columns = await root.rows<{ name: string; column: string }>(
      `SELECT table_name AS name, MIN(column_name) AS \`column\` FROM information_schema.columns
      WHERE table_schema = DATABASE() GROUP BY table_name`,
    );
    const differences: string[] = [];
    for (const { name, column } of columns) {
      const verbs = DATABASE_RIGHTS[service][name] ?? [];
      for (const [verb, sql] of Object.entries(HARMLESS)) {
        const granted = verbs.some((own) => own === verb);
        if ((await isDenied(store, sql(name, column))) === granted) differences.push(`${verb} ON ${name}`);
      }
      if (verbs.includes('LOCK')) await store.rows(`SELECT 1 FROM ${name} LIMIT 0 FOR UPDATE`);
    }
    expect(differences).toEqual([]);
    for (const ddl of ['CREATE TABLE intruder (id int)', 'ALTER TABLE plan ADD intruder int', 'DROP TABLE plan'])
      expect(await isDenied(store, ddl)).toBe(true);
  },
);

test('a creation of database users that is cut off after any statement is completed by the next one, with the rights of the last one', async () => {
  const prefix = `c${randomBytes(6).toString('hex')}_`;
  const users = { prefix, passwords: PASSWORDS };
  const cutAfter = async (statements: number) => {
    let left = statements;
    const spy = jest.spyOn(Store.prototype, 'write').mockImplementation(async function cut(this: Store, ...statement) {
      left -= 1;
      if (left < 0) throw new Error('cut off');
      await this.rows(...statement);
      return { affectedRows: 0, insertId: 0 };
    });
    await expect(createServiceUsers(migrateURL, users)).rejects.toThrow('cut off');
    spy.mockRestore();
  };
  for (const statements of [0, 1, 2, 3, 50, 150]) await cutAfter(statements);
  await createServiceUsers(migrateURL, users);
  const gateway = await openAs(withUser(`${prefix}gateway`));
  expect(await missingRights(gateway, 'gateway')).toEqual([]);
  // Gives the user two rights that a previous release may have had, and takes one away that this release adds.
  await root.write(`GRANT DELETE ON plan TO '${prefix}gateway'@'%'`);
  await root.write(`GRANT UPDATE ON capture TO '${prefix}gateway'@'%'`);
  await root.write(`REVOKE SELECT ON plan FROM '${prefix}gateway'@'%'`);
  expect(await missingRights(gateway, 'gateway')).toEqual(['SELECT ON plan']);
  await createServiceUsers(migrateURL, users);
  expect(await missingRights(gateway, 'gateway')).toEqual([]);
  expect(await isDenied(gateway, HARMLESS.DELETE('plan'))).toBe(true);
  expect(await isDenied(gateway, HARMLESS.UPDATE('capture', 'bytes'))).toBe(true);
});

test('a rollback takes no right of a database user away that a newer release may use', async () => {
  const prefix = `r${randomBytes(6).toString('hex')}_`;
  const users = { prefix, passwords: { router: PASSWORD } };
  await createServiceUsers(migrateURL, users);
  await root.write(`GRANT DELETE ON plan TO '${prefix}router'@'%'`);
  await root.write("INSERT INTO schema_migration (timestamp, name) VALUES (9999, 'Newer9999')");
  await createServiceUsers(migrateURL, users);
  await root.write("DELETE FROM schema_migration WHERE name = 'Newer9999'");
  const router = await openAs(withUser(`${prefix}router`));
  expect(await isDenied(router, HARMLESS.DELETE('plan'))).toBe(false);
  await createServiceUsers(migrateURL, users);
  expect(await isDenied(router, HARMLESS.DELETE('plan'))).toBe(true);
});

test('a creation of database users with another password changes the password of the user', async () => {
  const prefix = `p${randomBytes(6).toString('hex')}_`;
  await createServiceUsers(migrateURL, { prefix, passwords: { router: 'an older one' } });
  await createServiceUsers(migrateURL, { prefix, passwords: { router: PASSWORD } });
  expect(await (await openAs(withUser(`${prefix}router`))).rows('SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('users that are created at an address without TLS log in without TLS', async () => {
  const prefix = `p${randomBytes(6).toString('hex')}_`;
  const url = new URL(migrateURL);
  url.searchParams.set('ssl', 'false');
  await createServiceUsers(url.href, { prefix, passwords: { router: PASSWORD } });
  expect(await (await openAs(withUser(`${prefix}router`))).rows('SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('a service waits for the rights of its database user, and a user with all rights has none to wait for', async () => {
  await awaitSchema(urls.console, { service: 'console', timeoutMs: 0 });
  await awaitSchema(migrateURL, { service: 'console', timeoutMs: 0 });
  await expect(awaitSchema(urls.router, { service: 'webhook', timeoutMs: 0 })).rejects.toThrow(
    /The database lacks .*DELETE ON waiting_call/,
  );
});

describe('manifests', () => {
  test.each(OVERLAYS)(
    'in the overlay %s each service logs in as its own user, whose password the migration sets',
    async (overlay) => {
      const { manifests } = await renderOverlay(overlay);
      const settings = new Map(
        containersIn(manifests).map(({ at, container, workload }) => [
          at,
          { command: container.command ?? [], values: environmentOf(container, manifests, workload.spec).values },
        ]),
      );
      const set = settings.get('migrate/migrate')?.values ?? {};
      for (const service of SERVICES) {
        const own = [settings.get(`${service}/await-schema`), settings.get(`${service}/${service}`)];
        for (const part of own) expect(part?.values).toMatchObject(loginOf(service, set));
        expect(own[0]?.command.at(-1)).toBe(service);
      }
      expect(SERVICES).not.toContain(new URL(set['DATABASE_URL'] ?? '').username);
    },
  );

  test('in compose each service logs in as its own user, whose password the migration sets', () => {
    const compose = interpolate(readCompose(), new Proxy({}, { get: (_target, name) => sampleSecret(String(name)) }));
    const valuesOf = (name: string) => {
      const part = compose.services[name];
      return part ? environmentWithSecrets(part) : {};
    };
    for (const service of SERVICES) expect(valuesOf(service)).toMatchObject(loginOf(service, valuesOf('migrate')));
  });

  function loginOf(service: string, migrateSettings: Record<string, string>) {
    const password = migrateSettings[`DATABASE_${service.toUpperCase()}_PASSWORD`];
    expect(password).toMatch(/./);
    return { DATABASE_USER: `batuta_${service}`, DATABASE_PASSWORD: password };
  }
});
