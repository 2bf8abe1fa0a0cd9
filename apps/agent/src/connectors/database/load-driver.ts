import type { SqlDialect } from '@batuta/flow';
import { StepError } from '../../flow/step-error';
import type { DatabaseDriver } from './driver';
import { mysqlDriver } from './mysql-driver';
import { postgresDriver } from './postgres-driver';
import { sqlServerDriver } from './sql-server-driver';

/** Loads the driver of a dialect, or rejects as `import` does when the machine lacks its package. */
export type DriverSource = () => Promise<DatabaseDriver>;

/** Loaded at the first step that needs one, so that the agent starts fast and runs everything else without these packages. */
const SOURCES: Record<SqlDialect, DriverSource> = {
  mysql: async () => mysqlDriver(await import('mysql2')),
  postgres: async () => postgresDriver(await import('pg')),
  mssql: async () => sqlServerDriver(await import('mssql')),
};

const PACKAGES: Record<SqlDialect, string> = { mysql: 'mysql2', postgres: 'pg', mssql: 'mssql' };

/** Throws StepError when the machine lacks the driver's package. */
export async function loadDriver(dialect: SqlDialect, source = SOURCES[dialect]): Promise<DatabaseDriver> {
  try {
    return await source();
  } catch (error) {
    const code: unknown = Reflect.get(Object(error), 'code');
    if (code !== 'MODULE_NOT_FOUND' && code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const name = PACKAGES[dialect];
    throw new StepError(
      `the agent's machine lacks the package ${name}, which this connection needs: install it beside the agent (npm install ${name})`,
    );
  }
}
