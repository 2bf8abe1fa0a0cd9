import { Account, Credential, LoginSession, VaultSecret } from './account';
import { Company } from './company';
import { Environment } from './environment';
import { Plan } from './plan';
import { Process, ProcessKey, ProcessShare, ProcessVersion, RegisteredVariable } from './process';

export { ROLES, type Role } from './account';

/** The registry tables; only `console` writes them. */
export const REGISTRY_ENTITIES = [
  Account,
  Company,
  Credential,
  Environment,
  LoginSession,
  Plan,
  Process,
  ProcessKey,
  ProcessShare,
  ProcessVersion,
  RegisteredVariable,
  VaultSecret,
];

export {
  Account,
  Company,
  Credential,
  Environment,
  LoginSession,
  Plan,
  Process,
  ProcessKey,
  ProcessShare,
  ProcessVersion,
  RegisteredVariable,
  VaultSecret,
};
