export { Store, isDuplicate, isContention, isNotNullViolation, databaseFault, type WriteResult } from './store';
export type { PoolWatcher } from './pool-state';
export { openStore } from './data-source';
export { DatabaseClock } from './database-clock';
export { awaitSchema, pendingMigrations } from './await-schema';
export { migrate } from './migrate';
export { BiteSize, deleteInBites, inBites, type BiteOptions } from './bites';
export { pageBySize, type PageLimits } from './byte-page';
export { PAGE_BYTES, PageBudget } from './page-budget';
export {
  DATABASE_RIGHTS,
  DATABASE_SERVICES,
  DATABASE_VERBS,
  type DatabaseService,
  type DatabaseVerb,
  type TableRights,
} from './rights';
export { createServiceUsers, missingRights } from './users';
