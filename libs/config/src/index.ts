export * from './decorators';
export { HostList } from './host-list';
export * from './read-settings';
export { parseSecretKeys, SECRET_KEYS_RULE } from './secret-keys';
export { PasswordOf, Secret } from './secrets';
export * from './service-settings';
