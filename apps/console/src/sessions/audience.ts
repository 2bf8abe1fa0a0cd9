import type { Role } from '../registry';

export const AUDIENCE = 'console:audience';
/** Marks the routes that a session of a one-time password may call. */
export const ONE_TIME = 'console:one-time';

/**
 * The accounts that may call a route. `company` = the administrators and members of a company; `supervisor` = operators, and
 * administrators for their own company.
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
