import type { Role } from '../registry';

export const WHO = 'console:who';

/** Whom a route is for. `company` = an administrator or member: someone who belongs to a company. */
export type Who = 'anyone' | 'account' | 'operator' | 'administrator' | 'company';

const ROLES_OF: Record<Who, readonly Role[]> = {
  anyone: ['operator', 'administrator', 'member'],
  account: ['operator', 'administrator', 'member'],
  operator: ['operator'],
  administrator: ['administrator'],
  company: ['administrator', 'member'],
};

export function mayCall(who: Who, role: Role): boolean {
  return ROLES_OF[who].includes(role);
}
