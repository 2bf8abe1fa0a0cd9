import type { Role } from '../registry';

export const AUDIENCE = 'console:audience';

/** The accounts that may call a route. `company` = the administrators and members of a company. */
export type Audience = 'anyone' | 'account' | 'operator' | 'administrator' | 'company';

const ROLES_OF: Record<Audience, readonly Role[]> = {
  anyone: ['operator', 'administrator', 'member'],
  account: ['operator', 'administrator', 'member'],
  operator: ['operator'],
  administrator: ['administrator'],
  company: ['administrator', 'member'],
};

export function mayCall(audience: Audience, role: Role): boolean {
  return ROLES_OF[audience].includes(role);
}
