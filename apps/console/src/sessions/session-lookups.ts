import { hashSecret, messageOfUnknownSecret, UNKNOWN_SESSION_MESSAGE } from '@batuta/auth';
import { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { withTenant } from '@batuta/observability';
import { Injectable } from '@nestjs/common';
import DataLoader from 'dataloader';
import { JOIN_COMPANY, refuseInactive, SELECT_ACCOUNT, type AccountRow } from './account-row';
import type { SessionCaller } from './caller';

const LOOKUP_BATCH_SIZE = 50;

interface LoginSessionRow extends AccountRow {
  token_hash: Buffer;
  expired: number;
  one_time: number;
}

/**
 * Finds the account of a session. Nothing is cached, because a session can end at any moment. Requests that arrive in
 * the same turn of the event loop share a query. Otherwise many requests of one company could take every connection to
 * the database, whose limits per company do not apply until the session is found.
 */
@Injectable()
export class SessionLookups {
  private readonly rows: DataLoader<Buffer, LoginSessionRow | undefined>;

  constructor(private readonly store: Store) {
    this.rows = new DataLoader((hashes) => withTenant(undefined, () => this.rowsOf(hashes)), {
      cache: false,
      maxBatchSize: LOOKUP_BATCH_SIZE,
      batchScheduleFn: setImmediate,
    });
  }

  /** Throws INVALID_CREDENTIAL (its message says when the token is a secret of another kind), CREDENTIAL_EXPIRED or OWNER_INACTIVE. */
  callerOfToken(token: string): Promise<SessionCaller> {
    return this.callerOfHash(
      hashSecret(token),
      messageOfUnknownSecret('Authorization', token, 'bls', UNKNOWN_SESSION_MESSAGE),
    );
  }

  /** The refusal of a call with this session; undefined when the session is valid. Rejects while the database is away. */
  async refusalOf(tokenHash: Buffer): Promise<ApiError | undefined> {
    try {
      await this.callerOfHash(tokenHash);
      return undefined;
    } catch (error) {
      // While the database is away the validity of the session is unknown, so UNAVAILABLE is not a refusal.
      if (error instanceof ApiError && error.code !== 'UNAVAILABLE') return error;
      throw error;
    }
  }

  private async callerOfHash(tokenHash: Buffer, unknown = UNKNOWN_SESSION_MESSAGE): Promise<SessionCaller> {
    const row = await this.rows.load(tokenHash);
    if (!row) throw new ApiError('INVALID_CREDENTIAL', unknown);
    if (row.expired) throw new ApiError('CREDENTIAL_EXPIRED', 'The session has expired; log in again.');
    refuseInactive(row);
    const { account_id: accountID, email, name, role, company_id: companyID, company_name: companyName } = row;
    return { accountID, email, name, role, companyID, companyName, tokenHash, oneTime: row.one_time === 1 };
  }

  private async rowsOf(hashes: readonly Buffer[]): Promise<(LoginSessionRow | undefined)[]> {
    const rows = await this.store.rows<LoginSessionRow>(
      `${SELECT_ACCOUNT}, s.token_hash, s.one_time, s.expires_at <= UTC_TIMESTAMP(3) AS expired
         FROM login_session s JOIN account a ON a.account_id = s.account_id ${JOIN_COMPANY} WHERE s.token_hash IN (?)`,
      [hashes],
    );
    const byHash = new Map(rows.map((row) => [row.token_hash.toString('latin1'), row]));
    return hashes.map((hash) => byHash.get(hash.toString('latin1')));
  }
}
