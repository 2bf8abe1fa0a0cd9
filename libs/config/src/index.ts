export * from './decorators';
export { HostList } from './host-list';
export * from './read-settings';
export { PasswordOf, Secret } from './secrets';
export * from './service-settings';
