export { Store, isDuplicate, isContention, type Written } from './store';
export { dataSource, openStore, type DatabaseConfig } from './data-source';
export { migrate } from './migrate';
