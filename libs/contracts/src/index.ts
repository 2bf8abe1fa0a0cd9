export * from './subject';
export * from './instance';
export * from './execution';
export * from './schedule';
export * from './webhook';
