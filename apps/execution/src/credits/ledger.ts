import type { CreditEntryKind } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import { creditPeriodOf } from './credit-period';

/** A change of a company's balance by `amount`, which may be negative. */
export interface LedgerEntry {
  companyID: string;
  kind: CreditEntryKind;
  amount: number;
  /** The instance that the start or the refund belongs to; null for any other kind. */
  instanceID: string | null;
  /** Why an operator corrected the balance, if a reason was given. */
  reason?: string;
}

/** A row of `credit_account` that the transaction has locked. */
export interface LockedAccount {
  company_id: string;
  balance: number;
  /** The month whose credits the balance has, as `YYYY-MM`; UNOPENED_PERIOD before the first one. */
  period: string;
  /** The credits granted for the month `period`: those of the plan, raised by an upgrade during it. */
  monthly: number;
}

/** Period of an account that was never used; it sorts before every month. */
const UNOPENED_PERIOD = '0000-00';

/**
 * A company's credits inside one transaction: `lock` reads and locks the balances, `post` moves them, `save` writes
 * balances and ledger rows with the commit. The balance is the sum of the ledger at every commit (interpretation 40).
 */
export class Ledger {
  private readonly entries: LedgerEntry[] = [];
  private readonly changedCompanies = new Set<string>();

  private constructor(
    private readonly tx: Store,
    private readonly now: Date,
    private readonly accounts: Map<string, { balance: number; period: string; monthly: number }>,
  ) {}

  /**
   * Locks the accounts that are not in `locked`, in sorted order, against deadlocks. `monthlyCredits` = the plan's credits by company id. The
   * first use opens an account; the first use in a month resets the balance to the plan's credits, and the first use after an upgrade adds the
   * difference. Unless `waitsForLocks` is true, the ledger lacks the accounts that another transaction has locked.
   */
  static async lock(
    tx: Store,
    now: Date,
    monthlyCredits: Map<string, number>,
    { locked = [], waitsForLocks = true }: { locked?: readonly LockedAccount[]; waitsForLocks?: boolean } = {},
  ): Promise<Ledger> {
    const known = new Set(locked.map((row) => row.company_id));
    const missing = [...monthlyCredits.keys()].filter((companyID) => !known.has(companyID));
    const ledger = new Ledger(tx, now, new Map());
    for (const row of [...locked, ...(await lockOrOpen(tx, missing, waitsForLocks))]) {
      const planCredits = monthlyCredits.get(row.company_id);
      if (planCredits !== undefined) ledger.bringUpToDate(row, planCredits);
    }
    return ledger;
  }

  /** Whether the ledger has the account. It lacks those that `monthlyCredits` did not name, or that another transaction had locked. */
  has(companyID: string): boolean {
    return this.accounts.has(companyID);
  }

  /** The balance with the entries that were posted here; 0 for an account that the ledger lacks. */
  balanceOf(companyID: string): number {
    return this.accounts.get(companyID)?.balance ?? 0;
  }

  /** Throws for an account that the ledger lacks. A negative balance is not refused. */
  post(entry: LedgerEntry): void {
    this.lockedAccount(entry.companyID).balance += entry.amount;
    this.entries.push(entry);
    this.changedCompanies.add(entry.companyID);
  }

  /**
   * Opens the current month of the account and applies an upgraded plan. A downgrade takes effect with the next month.
   */
  private bringUpToDate(row: LockedAccount, planCredits: number): void {
    const { company_id: companyID, balance } = row;
    const current = creditPeriodOf(this.now);
    // The account may already be in a later month than `now`, when this transaction has waited for the lock while the month changed.
    const isNewMonth = row.period < current;
    const monthly = isNewMonth ? planCredits : Math.max(row.monthly, planCredits);
    this.accounts.set(companyID, { balance, period: isNewMonth ? current : row.period, monthly });
    if (isNewMonth) this.post({ companyID, kind: 'reset', amount: planCredits - balance, instanceID: null });
    else if (monthly > row.monthly) {
      this.post({ companyID, kind: 'upgrade', amount: monthly - row.monthly, instanceID: null });
    }
  }

  private lockedAccount(companyID: string): { balance: number; period: string; monthly: number } {
    const account = this.accounts.get(companyID);
    if (!account) throw new Error(`The credits of company ${companyID} are not locked`);
    return account;
  }

  /** Writes balances and ledger rows with the commit; an entry that changes the balance by 0 gets no row. */
  save(): void {
    if (this.changedCompanies.size === 0) return;
    const rows = [...this.changedCompanies].toSorted().map((companyID) => {
      const { balance, period, monthly } = this.lockedAccount(companyID);
      return [companyID, balance, period, monthly];
    });
    this.tx.atCommit(
      `INSERT INTO credit_account (company_id, balance, period, monthly) VALUES ?
           ON DUPLICATE KEY UPDATE balance = VALUES(balance), period = VALUES(period), monthly = VALUES(monthly)`,
      [rows],
    );
    const moves = this.entries.filter((entry) => entry.amount !== 0);
    if (moves.length === 0) return;
    this.tx.atCommit('INSERT INTO credit_entry (company_id, kind, amount, instance_id, reason, created_at) VALUES ?', [
      moves.map((entry) => [
        entry.companyID,
        entry.kind,
        entry.amount,
        entry.instanceID,
        entry.reason ?? null,
        this.now,
      ]),
    ]);
  }
}

/** Adds the return of one credit per instance to the commit. A refund opens no new month; the next start or correction does. */
export function refundInstances(tx: Store, refunds: { companyID: string; instanceID: string }[]): void {
  if (refunds.length === 0) return;
  tx.atCommit(
    `INSERT INTO credit_entry (company_id, kind, amount, instance_id, created_at)
       SELECT company_id, 'refund', 1, instance_id, UTC_TIMESTAMP(3) FROM instance WHERE instance_id IN (?)`,
    [refunds.map(({ instanceID }) => instanceID)],
  );
  const perCompany = new Map<string, number>();
  for (const { companyID } of refunds) perCompany.set(companyID, (perCompany.get(companyID) ?? 0) + 1);
  // The account locks are taken last, because every start of the company waits for them.
  for (const [companyID, amount] of [...perCompany].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    tx.atCommit('UPDATE credit_account SET balance = balance + ? WHERE company_id = ?', [amount, companyID]);
  }
}

async function lockOrOpen(tx: Store, companyIDs: string[], waitsForLocks: boolean): Promise<LockedAccount[]> {
  const rows = await lockAccounts(tx, companyIDs, waitsForLocks);
  if (rows.length === companyIDs.length) return rows;
  const unopened = await withoutAccount(tx, companyIDs);
  if (unopened.length === 0) return rows;
  await tx.write('INSERT IGNORE INTO credit_account (company_id, balance, period) VALUES ?', [
    unopened.map((companyID) => [companyID, 0, UNOPENED_PERIOD]),
  ]);
  return lockAccounts(tx, companyIDs, waitsForLocks);
}

async function withoutAccount(tx: Store, companyIDs: string[]): Promise<string[]> {
  const rows = await tx.rows<{ company_id: string }>('SELECT company_id FROM credit_account WHERE company_id IN (?)', [
    companyIDs,
  ]);
  const existing = new Set(rows.map((row) => row.company_id));
  return companyIDs.filter((companyID) => !existing.has(companyID)).toSorted();
}

/**
 * Locks the accounts that exist. The result lacks companies without an account and, unless `waitsForLocks` is true,
 * accounts that another transaction has locked.
 */
export async function lockAccounts(tx: Store, companyIDs: string[], waitsForLocks: boolean): Promise<LockedAccount[]> {
  if (companyIDs.length === 0) return [];
  return tx.rows<LockedAccount>(
    `SELECT company_id, balance, period, monthly FROM credit_account WHERE company_id IN (?) ORDER BY company_id
       FOR UPDATE${waitsForLocks ? '' : ' SKIP LOCKED'}`,
    [companyIDs.toSorted()],
  );
}
