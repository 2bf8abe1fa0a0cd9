import type { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';

/** The kinds of stored objects whose number a quota limits for each company. Each service checks the kinds that it writes. */
export type QuotaKind = keyof typeof QUOTAS;

interface QuotaRule {
  /** The plural noun in the refusal's message. */
  pluralNoun: string;
  /** The setting of the service with the limit, which the refusal names. */
  setting: string;
  /** The refusal's advice, such as `delete one first`. */
  remedy: string;
  /** FROM and WHERE of the query that counts, with the company as parameter. Each table is reached through an index. */
  fromAndWhere: string;
}

const ACCOUNT_TABLE = 'account a';
const PROCESS_TABLES = `${ACCOUNT_TABLE} JOIN process p ON p.account_id = a.account_id`;
const IS_OF_COMPANY = 'a.company_id = ?';
/**
 * SQL condition of a secret that the quota counts. A revoked or expired secret is not counted: it opens nothing, and nobody can
 * delete it by hand.
 */
const isValidSecretIn = (table: string): string =>
  `${table}.revoked_at IS NULL AND (${table}.expires_at IS NULL OR ${table}.expires_at > UTC_TIMESTAMP(3))`;

export const QUOTAS = {
  accounts: {
    pluralNoun: 'accounts',
    setting: 'QUOTA_ACCOUNTS',
    remedy: 'ask the operator to raise it',
    fromAndWhere: `${ACCOUNT_TABLE} WHERE ${IS_OF_COMPANY}`,
  },
  environments: {
    pluralNoun: 'environments',
    setting: 'QUOTA_ENVIRONMENTS',
    remedy: 'delete one first',
    fromAndWhere: 'environment e WHERE e.company_id = ?',
  },
  processes: {
    pluralNoun: 'processes',
    setting: 'QUOTA_PROCESSES',
    remedy: 'delete one first',
    fromAndWhere: `${PROCESS_TABLES} WHERE ${IS_OF_COMPANY}`,
  },
  versions: {
    pluralNoun: 'versions of its processes',
    setting: 'QUOTA_COMPANY_VERSIONS',
    remedy: 'delete a process that is no longer needed',
    fromAndWhere: `${PROCESS_TABLES} JOIN process_version v ON v.process_id = p.process_id WHERE ${IS_OF_COMPANY}`,
  },
  credentials: {
    pluralNoun: 'usable credentials',
    setting: 'QUOTA_CREDENTIALS',
    remedy: 'revoke one first',
    fromAndWhere: `${ACCOUNT_TABLE} JOIN credential c ON c.account_id = a.account_id WHERE ${IS_OF_COMPANY} AND ${isValidSecretIn('c')}`,
  },
  processKeys: {
    pluralNoun: 'usable process keys',
    setting: 'QUOTA_PROCESS_KEYS',
    remedy: 'revoke one first',
    fromAndWhere: `${PROCESS_TABLES} JOIN process_key k ON k.process_id = p.process_id WHERE ${IS_OF_COMPANY} AND ${isValidSecretIn('k')}`,
  },
  shares: {
    pluralNoun: 'shares of its processes',
    setting: 'QUOTA_SHARES',
    remedy: 'remove one first',
    // Invitations count like shares, so that the quota tells nobody which e-mail addresses have an account.
    fromAndWhere: `${PROCESS_TABLES} JOIN (SELECT 0 AS invited UNION ALL SELECT 1) kind
      LEFT JOIN process_share s ON kind.invited = 0 AND s.process_id = p.process_id
      LEFT JOIN share_invitation i ON kind.invited = 1 AND i.process_id = p.process_id
      WHERE ${IS_OF_COMPANY} AND (s.process_id IS NOT NULL OR i.process_id IS NOT NULL)`,
  },
  vaultKeys: {
    pluralNoun: 'vault keys',
    setting: 'QUOTA_VAULT_KEYS',
    remedy: 'remove one first',
    fromAndWhere: `${ACCOUNT_TABLE} JOIN vault_secret v ON v.account_id = a.account_id WHERE ${IS_OF_COMPANY}`,
  },
  schedules: {
    pluralNoun: 'schedules of its processes',
    setting: 'QUOTA_SCHEDULES',
    remedy: 'remove one first',
    fromAndWhere: `${PROCESS_TABLES} JOIN schedule s ON s.process_id = p.process_id WHERE ${IS_OF_COMPANY}`,
  },
  origins: {
    pluralNoun: 'webhook origins',
    setting: 'QUOTA_ORIGINS',
    remedy: 'remove one first',
    fromAndWhere: `${PROCESS_TABLES} JOIN origin o ON o.process_id = p.process_id WHERE ${IS_OF_COMPANY}`,
  },
  eventSubscriptions: {
    pluralNoun: 'event subscriptions',
    setting: 'QUOTA_EVENT_SUBSCRIPTIONS',
    remedy: 'remove one first',
    fromAndWhere: 'event_subscription s WHERE s.company_id = ?',
  },
} satisfies Record<string, QuotaRule>;

/**
 * Locks the company: until the transaction ends, no other transaction creates anything of the company that a quota counts. It must be the first lock of its
 * transaction.
 */
export async function lockCompany(tx: Store, companyID: string): Promise<void> {
  await tx.rows('SELECT company_id FROM company WHERE company_id = ? FOR UPDATE', [companyID]);
}

/**
 * Keeps the company from being suspended until the transaction ends. It must be the first lock of its transaction, unless `lockCompany` came
 * before.
 */
export async function lockCompanyInShareMode(tx: Store, companyID: string): Promise<void> {
  await tx.rows('SELECT company_id FROM company WHERE company_id = ? LOCK IN SHARE MODE', [companyID]);
}

/**
 * Throws QUOTA_EXCEEDED when the company has no room for one more object of this kind (interpretation 55). The transaction that
 * inserts it calls this first, before it locks anything but the company. The lock keeps two replicas from exceeding the limit together.
 */
export async function requireRoom(tx: Store, companyID: string, kind: QuotaKind, limit: number): Promise<void> {
  await lockCompany(tx, companyID);
  // At the isolation level READ COMMITTED this statement sees what the previous holder of the lock committed.
  const row = await tx.row<{ number: number }>(`SELECT COUNT(*) AS number FROM ${QUOTAS[kind].fromAndWhere}`, [
    companyID,
  ]);
  if (!row || row.number < limit) return;
  throw new ApiError('QUOTA_EXCEEDED', messageOfFullQuota(QUOTAS[kind], limit));
}

export function messageOfFullQuota({ pluralNoun, setting, remedy }: QuotaRule, limit: number): string {
  return `A company has at most ${limit} ${pluralNoun} (setting ${setting}); ${remedy}.`;
}
