export * from './decorators';
export * from './read-settings';
export * from './service-settings';
