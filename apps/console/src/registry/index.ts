import { Account, Credential, VaultSecret } from './account.entity';
import { Company } from './company.entity';
import { Environment } from './environment.entity';
import { Plan } from './plan.entity';
import {
  AllowedVaultKey,
  Process,
  ProcessKey,
  ProcessShare,
  ProcessVersion,
  RegisteredVariable,
  ShareInvitation,
} from './process.entity';

export { ROLES, type Role } from './account.entity';

/** The entities of the registry tables, which only the console writes. */
export const REGISTRY_ENTITIES = [
  Account,
  AllowedVaultKey,
  Company,
  Credential,
  Environment,
  Plan,
  Process,
  ProcessKey,
  ProcessShare,
  ProcessVersion,
  RegisteredVariable,
  ShareInvitation,
  VaultSecret,
];

export {
  Account,
  AllowedVaultKey,
  Company,
  Credential,
  Environment,
  Plan,
  Process,
  ProcessKey,
  ProcessShare,
  ProcessVersion,
  RegisteredVariable,
  ShareInvitation,
  VaultSecret,
};
