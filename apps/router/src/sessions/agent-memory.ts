import { ByteBudget } from '@batuta/async';
import type { AgentEnvironment } from '@batuta/catalog';
import { Injectable } from '@nestjs/common';

const MEGABYTE = 1_048_576;
/**
 * Unread bytes that every environment may have, even when those of its company or of all environments have reached
 * their limit.
 */
const MIN_SHARE_BYTES = MEGABYTE;

const SEPARATOR = ' ';

/** The tenant as which the budgets count the bytes of an environment; `companyOf` reads its company from it. */
export function memoryTenantOf({
  companyID,
  environmentID,
}: Pick<AgentEnvironment, 'companyID' | 'environmentID'>): string {
  return `${companyID}${SEPARATOR}${environmentID}`;
}

const companyOf = (tenant: string) => tenant.slice(0, tenant.indexOf(SEPARATOR));

function budgetOf(megabytes: { total: number; company: number; environment: number }): ByteBudget {
  return new ByteBudget({
    totalBytes: megabytes.total * MEGABYTE,
    perTenantBytes: megabytes.environment * MEGABYTE,
    perGroup: { bytes: megabytes.company * MEGABYTE, groupOf: companyOf },
  });
}

/**
 * The bytes of agents in this replica's memory. Each budget has a limit per environment and a limit per company, so that neither
 * one environment nor a company with many uses up the memory.
 */
@Injectable()
export class AgentMemory {
  /**
   * Memory of incomplete messages; the share of one environment is one message of the largest size, or several smaller
   * ones.
   */
  readonly frames = budgetOf({ total: 40, company: 16, environment: 8 });
  /** Memory of reports that execution has not stored yet. */
  readonly reports = budgetOf({ total: 48, company: 24, environment: 16 });
  /** Memory of picture parts that execution has not stored yet. */
  readonly parts = budgetOf({ total: 24, company: 12, environment: 8 });
  /** Memory of large frames that agents have not read yet. */
  readonly unread = budgetOf({ total: 48, company: 24, environment: 16 });

  /**
   * True when the agents of an environment get no more offers: the environment has at least MIN_SHARE_BYTES unread bytes, and those of this
   * environment, of its company or of all environments exceed their limit.
   */
  isUnreadFull(tenant: string): boolean {
    const own = this.unread.usedBytesOf(tenant);
    const limit = own < MIN_SHARE_BYTES ? undefined : this.unread.limitExceededBy(tenant, 0);
    return limit !== undefined;
  }
}
