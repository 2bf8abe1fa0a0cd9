import { Account, Credential, VaultSecret } from './account.entity';
import { Company } from './company.entity';
import { Environment } from './environment.entity';
import { Plan } from './plan.entity';
import {
  AllowedVaultKey,
  FlowVersion,
  Process,
  ProcessKey,
  ProcessShare,
  RegisteredVariable,
  ShareInvitation,
} from './process.entity';

export { ROLES, type Role } from './account.entity';

/** The entities of the registry tables, which no other service writes. */
export const REGISTRY_ENTITIES = [
  Account,
  AllowedVaultKey,
  Company,
  Credential,
  Environment,
  FlowVersion,
  Plan,
  Process,
  ProcessKey,
  ProcessShare,
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
  FlowVersion,
  Plan,
  Process,
  ProcessKey,
  ProcessShare,
  RegisteredVariable,
  ShareInvitation,
  VaultSecret,
};
