export * from './decorators';
export * from './read-settings';
export { PasswordOf, Secret, UserOf } from './secrets';
export * from './service-settings';
