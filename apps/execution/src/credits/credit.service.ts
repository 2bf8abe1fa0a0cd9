import { recordAction } from '@batuta/audit';
import { lockAccountOfCaller } from '@batuta/catalog';
import type { CreditCorrection } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Injectable } from '@nestjs/common';
import { Ledger } from './ledger';
import { creditPeriodOf } from './credit-period';

/** Largest balance that a correction may leave. */
const MAX_BALANCE = 1_000_000_000;

interface BalanceRow {
  company_id: string;
  balance: number | null;
  period: string | null;
  monthly: number | null;
  monthly_credits: number;
}

/** A company's credits outside a start: balances, and corrections by an operator. */
@Injectable()
export class CreditService {
  constructor(private readonly store: Store) {}

  /**
   * The credits that each company can spend now, with those that an upgraded plan adds; before its first start or correction in a month, those
   * of its plan. A company that does not exist is missing.
   */
  async balances(companyIDs: string[]): Promise<Record<string, number>> {
    if (companyIDs.length === 0) return {};
    const period = creditPeriodOf(await this.now(this.store));
    const rows = await this.store.rows<BalanceRow>(
      `SELECT c.company_id, a.balance, a.period, a.monthly, p.monthly_credits
         FROM company c JOIN plan p ON p.plan_id = c.plan_id
         LEFT JOIN credit_account a ON a.company_id = c.company_id
        WHERE c.company_id IN (?)`,
      [companyIDs],
    );
    return Object.fromEntries(
      // The account may be in a later month than `now`, as in `Ledger.bringUpToDate`; '' sorts before every month.
      rows.map((row) => [row.company_id, (row.period ?? '') < period ? row.monthly_credits : currentBalance(row)]),
    );
  }

  /**
   * Sets the balance to `credits`, or changes it by `add`, through a ledger row for the difference (interpretation 40); returns the balance. A
   * repeated `id` changes nothing. Throws OWNER_INACTIVE or INVALID_CREDENTIAL when the operator lost access meanwhile, NOT_FOUND for an unknown
   * company, BAD_REQUEST for a balance outside 0 to MAX_BALANCE, and CONFLICT when a different correction has the id.
   */
  async correct({ companyID, credits, add = 0, id, reason, ...by }: CreditCorrection): Promise<number> {
    return this.store.transaction(async (tx) => {
      const { operatorID: accountID, sessionHash } = by;
      if (accountID !== undefined) await lockAccountOfCaller(tx, { accountID, sessionHash });
      const plan = await tx.row<{ monthly_credits: number }>(
        'SELECT p.monthly_credits FROM company c JOIN plan p ON p.plan_id = c.plan_id WHERE c.company_id = ?',
        [companyID],
      );
      if (!plan) throw new ApiError('NOT_FOUND', 'No such company.');
      const isNew = id === undefined || (await insertAdjustment(tx, id, companyID, { credits, add }));
      const ledger = await Ledger.lock(tx, await this.now(tx), new Map([[companyID, plan.monthly_credits]]));
      const before = ledger.balanceOf(companyID);
      if (!isNew) return before;
      const balance = credits ?? before + add;
      if (balance < 0 || balance > MAX_BALANCE) {
        throw new ApiError('BAD_REQUEST', `amount: the balance would be ${balance}; it stays from 0 to ${MAX_BALANCE}`);
      }
      const amount = balance - before;
      ledger.post({ companyID, kind: 'adjust', amount, instanceID: null, reason });
      ledger.save();
      const detail = { amount, balance, ...(reason !== undefined && { reason }) };
      recordAction(tx, { action: 'company.credits', objectID: companyID, companyID, detail });
      return balance;
    });
  }

  private async now(store: Store): Promise<Date> {
    const row = await store.row<{ now: Date }>('SELECT UTC_TIMESTAMP(3) AS now');
    if (!row) throw new Error('The database returned no time');
    return row.now;
  }
}

/**
 * The balance of an account whose month is current, with the credits of an upgraded plan, which the next start or correction adds (`Ledger.lock`).
 */
function currentBalance({ balance, monthly, monthly_credits: planCredits }: BalanceRow): number {
  return (balance ?? 0) + Math.max(0, planCredits - (monthly ?? 0));
}

interface AdjustmentRow {
  company_id: string;
  set_to: number | null;
  added: number | null;
}

/** Records an adjustment with its id; false when an earlier request with this id has made the adjustment. */
async function insertAdjustment(
  tx: Store,
  id: string,
  companyID: string,
  { credits = null, add }: { credits: number | null | undefined; add: number },
): Promise<boolean> {
  const added = credits === null ? add : null;
  const { affectedRows } = await tx.write(
    `INSERT IGNORE INTO credit_adjustment (adjustment_id, company_id, set_to, added, created_at)
       VALUES (?, ?, ?, ?, UTC_TIMESTAMP(3))`,
    [id, companyID, credits, added],
  );
  if (affectedRows === 1) return true;
  const made = await tx.row<AdjustmentRow>(
    'SELECT company_id, set_to, added FROM credit_adjustment WHERE adjustment_id = ?',
    [id],
  );
  if (made?.company_id !== companyID) throw new ApiError('CONFLICT', 'id: a correction of another company has it');
  // An earlier release stored neither.
  const isComparable = made.set_to !== null || made.added !== null;
  if (isComparable && (made.set_to !== credits || made.added !== added)) {
    const deed = made.set_to === null ? `added ${made.added}` : `set the balance to ${made.set_to}`;
    throw new ApiError('CONFLICT', `id: the correction that has it ${deed}`);
  }
  return false;
}
