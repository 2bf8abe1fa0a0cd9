import { requireActive } from '@batuta/auth';
import type { Role } from '../registry';

/** An account of somebody who logs in or is logged in, with its company. */
export interface AccountRow {
  account_id: string;
  email: string;
  name: string;
  role: Role;
  blocked: number;
  /** null for an operator, like the other columns of the company. */
  company_id: string | null;
  company_name: string | null;
  suspended: number | null;
}

/** SELECT and the columns of AccountRow, without FROM: append further columns, then `FROM account a` and JOIN_COMPANY. */
export const SELECT_ACCOUNT = `SELECT a.account_id, a.email, a.name, a.role, a.blocked, a.company_id, c.name AS company_name, c.suspended`;
/** Joins the company `c` of the account `a`. */
export const JOIN_COMPANY = 'LEFT JOIN company c ON c.company_id = a.company_id';

/** Throws OWNER_INACTIVE for a blocked account and for an account of a suspended company. */
export function refuseInactive({ blocked, suspended }: AccountRow): void {
  requireActive({ blocked: blocked === 1, suspended: suspended === 1 });
}
