import type { Role } from '../registry';

/** Metadata key under which `@Endpoint` stores the audience of a route. */
export const AUDIENCE_KEY = 'console:audience';
/** Metadata key of routes that a session of a one-time password may call. */
export const ONE_TIME_KEY = 'console:one-time';

/**
 * Who may call a route. `anyone` = also without a login; `account` = every account; `company` = the administrators and members of a company;
 * `administrator` = those of a company; `supervisor` = operators, and administrators for their own company.
 */
export type Audience = 'anyone' | 'account' | 'operator' | 'administrator' | 'supervisor' | 'company';

const ROLES_OF: Record<Audience, readonly Role[]> = {
  anyone: ['operator', 'administrator', 'member'],
  account: ['operator', 'administrator', 'member'],
  operator: ['operator'],
  administrator: ['administrator'],
  supervisor: ['operator', 'administrator'],
  company: ['administrator', 'member'],
};

export function mayCall(audience: Audience, role: Role): boolean {
  return ROLES_OF[audience].includes(role);
}
