export { Store, isDuplicate, isContention, databaseFault, type Written } from './store';
export { dataSource, openStore, type DatabaseConfig } from './data-source';
export { awaitSchema, pendingMigrations } from './await-schema';
export { migrate } from './migrate';
