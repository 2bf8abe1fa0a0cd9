import { hashSecret, mintSecret } from '@batuta/auth';
import { deleteInBites, Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Inject, Injectable } from '@nestjs/common';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import type { Role } from '../registry';
import { Invitations } from '../access/invitations';
import type { SessionCaller } from './caller';
import { LoginThrottle } from './login-throttle';
import { PasswordHasher } from './password-hasher';

interface AccountRow {
  account_id: string;
  email: string;
  name: string;
  role: Role;
  blocked: number;
  company_id: string | null;
  company_name: string | null;
  suspended: number | null;
}

interface LoginRow extends AccountRow {
  password_hash: string;
  /** Null unless an administrator or operator reset the password and the account has not changed it since. */
  one_time_hash: string | null;
  one_time_until: Date | null;
  one_time_expired: number | null;
}

export interface OpenedSession {
  token: string;
  expiresAt: Date;
  /** The session was opened by a one-time password. */
  oneTime: boolean;
}

const HOUR_MS = 3_600_000;
const ACCOUNT = `SELECT a.account_id, a.email, a.name, a.role, a.blocked, a.company_id, c.name AS company_name, c.suspended`;
const OF_COMPANY = 'LEFT JOIN company c ON c.company_id = a.company_id';
const LOGIN = `${ACCOUNT}, a.password_hash, a.one_time_hash, a.one_time_until,
                        a.one_time_until <= UTC_TIMESTAMP(3) AS one_time_expired
                   FROM account a ${OF_COMPANY} WHERE a.email = ?`;
const NO_SUCH_ACCOUNT = 'email, password: no account has this e-mail and password';

@Injectable()
export class LoginService {
  constructor(
    private readonly store: Store,
    private readonly passwords: PasswordHasher,
    private readonly throttle: LoginThrottle,
    private readonly invitations: Invitations,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
  ) {}

  /** Throws INVALID_CREDENTIAL for a wrong e-mail address and for a wrong password alike. */
  async logIn(email: string, password: string, address: string | undefined): Promise<OpenedSession> {
    this.throttle.refuse({ address });
    const account = await this.store.row<LoginRow>(LOGIN, [email]);
    const guesser = { address, ...(account ? { accountID: account.account_id } : { email }) };
    this.throttle.refuse(guesser);
    const hash = account && (account.one_time_hash ?? account.password_hash);
    const right = await this.passwords.matches(hash, password);
    // Checked again: concurrent logins may have failed while this one waited for its hash.
    this.throttle.refuse(guesser);
    if (!account || !right) {
      this.throttle.failed(guesser);
      throw new ApiError('INVALID_CREDENTIAL', NO_SUCH_ACCOUNT);
    }
    if (account.one_time_expired) {
      throw new ApiError('CREDENTIAL_EXPIRED', 'The one-time password has expired; ask an administrator for another.');
    }
    refuseInactive(account);
    await this.invitations.accept(account.email);
    return this.open(account);
  }

  async callerOf(token: string): Promise<SessionCaller> {
    const tokenHash = hashSecret(token);
    const row = await this.store.row<AccountRow & { expired: number; one_time: number }>(
      `${ACCOUNT}, s.one_time, s.expires_at <= UTC_TIMESTAMP(3) AS expired
         FROM login_session s JOIN account a ON a.account_id = s.account_id ${OF_COMPANY} WHERE s.token_hash = ?`,
      [tokenHash],
    );
    if (!row) throw new ApiError('INVALID_CREDENTIAL', 'The session token is not known; log in again.');
    if (row.expired) throw new ApiError('CREDENTIAL_EXPIRED', 'The session has expired; log in again.');
    refuseInactive(row);
    const { account_id: accountID, email, name, role, company_id: companyID, company_name: companyName } = row;
    return { accountID, email, name, role, companyID, companyName, tokenHash, oneTime: row.one_time === 1 };
  }

  async logOut(tokenHash: Buffer): Promise<void> {
    await this.store.write('DELETE FROM login_session WHERE token_hash = ?', [tokenHash]);
  }

  /** Removes sessions that expired a day ago; several replicas may do it at once. */
  async removeExpired(isStopping = () => false): Promise<void> {
    const remove =
      'DELETE FROM login_session WHERE expires_at <= UTC_TIMESTAMP(3) - INTERVAL 1 DAY ORDER BY expires_at LIMIT ?';
    await deleteInBites(this.store, remove, [], { isStopping });
  }

  /**
   * Opens a session if the password is still the one that was verified. The share lock makes it wait for a change of the
   * password in progress, which ends the sessions that exist before it.
   */
  private async open({ account_id, password_hash, one_time_hash, one_time_until }: LoginRow): Promise<OpenedSession> {
    const { value: token, hash } = mintSecret('bls');
    const createdAt = new Date();
    const full = new Date(createdAt.getTime() + this.config.SESSION_HOURS * HOUR_MS);
    const expiresAt = one_time_until && one_time_until < full ? one_time_until : full;
    const { affectedRows } = await this.store.write(
      `INSERT INTO login_session (token_hash, account_id, created_at, expires_at, one_time)
       SELECT ?, account_id, ?, ?, one_time_hash IS NOT NULL FROM account
        WHERE account_id = ? AND password_hash = ? AND one_time_hash <=> ? LOCK IN SHARE MODE`,
      [hash, createdAt, expiresAt, account_id, password_hash, one_time_hash],
    );
    if (affectedRows === 0) throw new ApiError('INVALID_CREDENTIAL', NO_SUCH_ACCOUNT);
    return { token, expiresAt, oneTime: one_time_hash !== null };
  }
}

function refuseInactive({ blocked, suspended }: AccountRow): void {
  if (blocked) throw new ApiError('OWNER_INACTIVE', 'The account is blocked.');
  if (suspended) throw new ApiError('OWNER_INACTIVE', 'The company is suspended.');
}
