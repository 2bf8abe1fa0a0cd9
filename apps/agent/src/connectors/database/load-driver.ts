import type { SqlDialect } from '@batuta/flow';
import { StepError } from '../../step-error';
import type { DatabaseDriver } from './driver';
import { mysqlDriver } from './mysql-driver';
import { postgresDriver } from './postgres-driver';
import { sqlServerDriver } from './sql-server-driver';

/** Loads the driver of a dialect; rejects like `import` when its package is not installed. */
type DriverLoader = () => Promise<DatabaseDriver>;

/**
 * Each driver package is imported at the first step that needs it, so that the agent starts fast and runs other steps
 * without the package.
 */
const DRIVER_LOADERS: Record<SqlDialect, DriverLoader> = {
  mysql: async () => mysqlDriver(await import('mysql2')),
  postgres: async () => postgresDriver(await import('pg')),
  mssql: async () => sqlServerDriver(await import('mssql')),
};

const PACKAGE_OF_DIALECT: Record<SqlDialect, string> = { mysql: 'mysql2', postgres: 'pg', mssql: 'mssql' };

/** Returns the driver of a dialect. Throws StepError when its package is not installed. */
export async function loadDriver(dialect: SqlDialect, source = DRIVER_LOADERS[dialect]): Promise<DatabaseDriver> {
  try {
    return await source();
  } catch (error) {
    const code: unknown = Reflect.get(Object(error), 'code');
    if (code !== 'MODULE_NOT_FOUND' && code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const name = PACKAGE_OF_DIALECT[dialect];
    throw new StepError(
      `the agent's machine lacks the package ${name}, which this connection needs: install it beside the agent (npm install ${name})`,
    );
  }
}
