import { addressKey, FailureThrottle, hashSecret, mintSecret } from '@batuta/auth';
import { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Inject, Injectable } from '@nestjs/common';
import { LoginSession, type Role } from '../registry';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import type { SessionCaller } from './caller';
import { PasswordHasher } from './password-hasher';

interface AccountRow {
  account_id: string;
  email: string;
  name: string;
  role: Role;
  blocked: number;
  password_hash: string;
  company_id: string | null;
  company_name: string | null;
  suspended: number | null;
}

const HOUR_MS = 3_600_000;
const SWEEP_BATCH_SIZE = 1_000;
const ACCOUNT = `SELECT a.account_id, a.email, a.name, a.role, a.blocked, a.password_hash, a.company_id,
                        c.name AS company_name, c.suspended`;
const OF_COMPANY = 'LEFT JOIN company c ON c.company_id = a.company_id';

@Injectable()
export class LoginService {
  private readonly throttle: FailureThrottle;

  constructor(
    private readonly store: Store,
    private readonly passwords: PasswordHasher,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
  ) {
    this.throttle = new FailureThrottle(config.LOGIN_FAILURES_PER_MINUTE);
  }

  /** Throws INVALID_CREDENTIAL for a wrong e-mail address and for a wrong password alike. */
  async logIn(
    email: string,
    password: string,
    address: string | undefined,
  ): Promise<{ token: string; expiresAt: Date }> {
    const keys = [`address ${addressKey(address)}`, `email ${email}`];
    this.refuseThrottled(keys);
    const account = await this.store.row<AccountRow>(`${ACCOUNT} FROM account a ${OF_COMPANY} WHERE a.email = ?`, [
      email,
    ]);
    const normalized = password.normalize('NFC');
    const right = await (account
      ? this.passwords.verify(account.password_hash, normalized)
      : this.passwords.refuse(normalized));
    // Checked again: concurrent logins may have failed while this one waited for its hash.
    this.refuseThrottled(keys);
    if (!account || !right) {
      this.throttle.failed(keys, Date.now());
      throw new ApiError('INVALID_CREDENTIAL', 'email, password: no account has this e-mail and password');
    }
    refuseInactive(account);
    return this.open(account.account_id);
  }

  async callerOf(token: string): Promise<SessionCaller> {
    const tokenHash = hashSecret(token);
    const row = await this.store.row<AccountRow & { expired: number }>(
      `${ACCOUNT}, s.expires_at <= UTC_TIMESTAMP(3) AS expired
         FROM login_session s JOIN account a ON a.account_id = s.account_id ${OF_COMPANY} WHERE s.token_hash = ?`,
      [tokenHash],
    );
    if (!row) throw new ApiError('INVALID_CREDENTIAL', 'The session token is not known; log in again.');
    if (row.expired) throw new ApiError('CREDENTIAL_EXPIRED', 'The session has expired; log in again.');
    refuseInactive(row);
    const { account_id, email, name, role, company_id, company_name } = row;
    return { accountID: account_id, email, name, role, companyID: company_id, companyName: company_name, tokenHash };
  }

  async logOut(tokenHash: Buffer): Promise<void> {
    await this.store.write('DELETE FROM login_session WHERE token_hash = ?', [tokenHash]);
  }

  /** Removes a batch of sessions that expired a day ago; several replicas may do it at once. */
  async removeExpired(): Promise<void> {
    await this.store.write(
      `DELETE FROM login_session WHERE expires_at <= UTC_TIMESTAMP(3) - INTERVAL 1 DAY ORDER BY expires_at LIMIT ${SWEEP_BATCH_SIZE}`,
    );
  }

  private refuseThrottled(keys: string[]): void {
    if (this.throttle.waitOf(keys, Date.now()) > 0) {
      throw new ApiError('RATE_LIMITED', 'Too many refused logins; wait a minute.');
    }
  }

  private async open(accountID: string): Promise<{ token: string; expiresAt: Date }> {
    const { value, hash } = mintSecret('bls');
    const createdAt = new Date();
    const expiresAt = new Date(createdAt.getTime() + this.config.SESSION_HOURS * HOUR_MS);
    await this.store.repository(LoginSession).insert({ tokenHash: hash, accountID, createdAt, expiresAt });
    return { token: value, expiresAt };
  }
}

function refuseInactive({ blocked, suspended }: AccountRow): void {
  if (blocked) throw new ApiError('OWNER_INACTIVE', 'The account is blocked.');
  if (suspended) throw new ApiError('OWNER_INACTIVE', 'The company is suspended.');
}
