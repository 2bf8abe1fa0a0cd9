import type { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';

/** The kinds of stored things that a company has a quota of. Each service checks the kinds that it writes. */
export type QuotaKind = keyof typeof QUOTAS;

interface QuotaRule {
  /** The plural noun in the refusal's message. */
  things: string;
  setting: string;
  /** The refusal's advice, such as `delete one first`. */
  remedy: string;
  /** FROM and WHERE of the count, with the company as parameter. Each table is reached through an index. */
  counted: string;
}

const ACCOUNT = 'account a';
const PROCESS = `${ACCOUNT} JOIN process p ON p.account_id = a.account_id`;
const OF_COMPANY = 'a.company_id = ?';
/** A revoked or expired secret opens nothing, and it cannot be deleted. */
const usable = (table: string): string =>
  `${table}.revoked_at IS NULL AND (${table}.expires_at IS NULL OR ${table}.expires_at > UTC_TIMESTAMP(3))`;

const QUOTAS = {
  accounts: {
    things: 'accounts',
    setting: 'QUOTA_ACCOUNTS',
    remedy: 'ask the operator to raise it',
    counted: `${ACCOUNT} WHERE ${OF_COMPANY}`,
  },
  environments: {
    things: 'environments',
    setting: 'QUOTA_ENVIRONMENTS',
    remedy: 'delete one first',
    counted: 'environment e WHERE e.company_id = ?',
  },
  processes: {
    things: 'processes',
    setting: 'QUOTA_PROCESSES',
    remedy: 'delete one first',
    counted: `${PROCESS} WHERE ${OF_COMPANY}`,
  },
  credentials: {
    things: 'usable credentials',
    setting: 'QUOTA_CREDENTIALS',
    remedy: 'revoke one first',
    counted: `${ACCOUNT} JOIN credential c ON c.account_id = a.account_id WHERE ${OF_COMPANY} AND ${usable('c')}`,
  },
  processKeys: {
    things: 'usable process keys',
    setting: 'QUOTA_PROCESS_KEYS',
    remedy: 'revoke one first',
    counted: `${PROCESS} JOIN process_key k ON k.process_id = p.process_id WHERE ${OF_COMPANY} AND ${usable('k')}`,
  },
  shares: {
    things: 'shares of its processes',
    setting: 'QUOTA_SHARES',
    remedy: 'remove one first',
    // Invitations count like shares, so that the quota tells nobody which e-mail addresses have an account.
    counted: `${PROCESS} JOIN (SELECT 0 AS invited UNION ALL SELECT 1) kind
      LEFT JOIN process_share s ON kind.invited = 0 AND s.process_id = p.process_id
      LEFT JOIN share_invitation i ON kind.invited = 1 AND i.process_id = p.process_id
      WHERE ${OF_COMPANY} AND (s.process_id IS NOT NULL OR i.process_id IS NOT NULL)`,
  },
  vaultKeys: {
    things: 'vault keys',
    setting: 'QUOTA_VAULT_KEYS',
    remedy: 'remove one first',
    counted: `${ACCOUNT} JOIN vault_secret v ON v.account_id = a.account_id WHERE ${OF_COMPANY}`,
  },
  schedules: {
    things: 'schedules of its processes',
    setting: 'QUOTA_SCHEDULES',
    remedy: 'remove one first',
    counted: `${PROCESS} JOIN schedule s ON s.process_id = p.process_id WHERE ${OF_COMPANY}`,
  },
  origins: {
    things: 'webhook origins',
    setting: 'QUOTA_ORIGINS',
    remedy: 'remove one first',
    counted: `${PROCESS} JOIN origin o ON o.process_id = p.process_id WHERE ${OF_COMPANY}`,
  },
} satisfies Record<string, QuotaRule>;

/** Until the transaction ends no other one creates what a quota counts. It is the first lock of its transaction. */
export async function lockCompany(tx: Store, companyID: string): Promise<void> {
  await tx.rows('SELECT company_id FROM company WHERE company_id = ? FOR UPDATE', [companyID]);
}

/**
 * Call it in the transaction that inserts one more, before that transaction locks anything but the company. The lock keeps
 * two replicas from exceeding the limit together. Throws QUOTA_EXCEEDED (interpretation 55).
 */
export async function requireRoom(tx: Store, companyID: string, kind: QuotaKind, limit: number): Promise<void> {
  const { things, setting, remedy, counted } = QUOTAS[kind];
  await lockCompany(tx, companyID);
  // At READ COMMITTED this statement sees what the previous holder of the lock committed.
  const row = await tx.row<{ number: number }>(`SELECT COUNT(*) AS number FROM ${counted}`, [companyID]);
  if (!row || row.number < limit) return;
  throw new ApiError('QUOTA_EXCEEDED', `A company has at most ${limit} ${things} (setting ${setting}); ${remedy}.`);
}
