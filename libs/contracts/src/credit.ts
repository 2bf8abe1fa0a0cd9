/** A movement of a company's credits: it adds `amount`, which may be negative. `at` is in ISO 8601 UTC; a start or a refund has an `instanceID`. */
export interface CreditEntry {
  at: string;
  kind: CreditEntryKind;
  amount: number;
  instanceID: string | null;
  /** What the operator wrote about an adjustment. */
  reason?: string;
}

/** Sets the balance to `credits`, or adds `add`, which may be negative. Requests with the same `id` are one correction. */
export interface CreditCorrection {
  companyID: string;
  credits?: number;
  add?: number;
  id?: string;
  reason?: string;
  /** The operator, whose account must be active when the correction is stored. A request of the previous release has none. */
  operatorID?: string;
  /** The login session of the operator, as in `Caller`. */
  sessionHash?: string;
}

export const CREDIT_ENTRY_KINDS = ['reset', 'upgrade', 'start', 'refund', 'adjust', 'carried'] as const;

/**
 * `reset`: sets the balance to the plan's credits, at the first use in a month. `upgrade`: the plan's credits were raised within the month; the
 * difference is available at once. `carried`: the sum of the oldest entries, which retention has replaced.
 */
export type CreditEntryKind = (typeof CREDIT_ENTRY_KINDS)[number];
