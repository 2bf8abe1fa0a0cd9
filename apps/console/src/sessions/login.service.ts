import { recordAction } from '@batuta/audit';
import { mintSecret } from '@batuta/auth';
import { deleteInBites, Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Inject, Injectable } from '@nestjs/common';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { Invitations } from '../access/invitations';
import { JOIN_COMPANY, refuseInactive, SELECT_ACCOUNT, type AccountRow } from './account-row';
import type { SessionCaller } from './caller';
import { LoginThrottle } from './login-throttle';
import { PasswordHasher, tenantOfAddress } from './password-hasher';

interface LoginRow extends AccountRow {
  password_hash: string;
  /**
   * Hash of a one-time password; null unless an administrator or operator reset the password and the account has not
   * changed it since.
   */
  one_time_hash: string | null;
  /** When the one-time password expires; null without one. */
  one_time_until: Date | null;
  /** 1 = the one-time password has expired, by the clock of the database; null without one. */
  one_time_expired: number | null;
}

export interface OpenedSession {
  /** The session token, of which only a hash is stored. */
  token: string;
  /** Calls do not extend it. A session of a one-time password ends with that password at the latest. */
  expiresAt: Date;
  /** Whether a one-time password opened the session. */
  oneTime: boolean;
}

const HOUR_MS = 3_600_000;
/**
 * Maximum number of sessions that one login ends. More are over the limit only after SESSIONS_PER_ACCOUNT was lowered.
 */
const MAX_ENDED_SESSIONS = 1_000;
const SELECT_LOGIN = `${SELECT_ACCOUNT}, a.password_hash, a.one_time_hash, a.one_time_until,
                        a.one_time_until <= UTC_TIMESTAMP(3) AS one_time_expired
                   FROM account a ${JOIN_COMPANY} WHERE a.email = ?`;
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

  /**
   * Throws INVALID_CREDENTIAL for a wrong e-mail address and for a wrong password alike, RATE_LIMITED, and with the right password
   * CREDENTIAL_EXPIRED (of a one-time password) and OWNER_INACTIVE.
   */
  async logIn(email: string, password: string, address: string | undefined): Promise<OpenedSession> {
    this.throttle.refuseIfThrottled({ address });
    const account = await this.store.row<LoginRow>(SELECT_LOGIN, [email]);
    const guesser = { address, ...(account ? { accountID: account.account_id } : { email }) };
    this.throttle.admit(guesser);
    const hash = account && (account.one_time_hash ?? account.password_hash);
    const right = await this.passwords.matches(hash, password, tenantOfAddress(address));
    // The throttle is checked again, because concurrent logins may have failed while this one waited for its password
    // hash.
    this.throttle.refuseIfThrottled(guesser);
    if (!account || !right) {
      this.throttle.recordFailure(guesser);
      throw new ApiError('INVALID_CREDENTIAL', NO_SUCH_ACCOUNT);
    }
    if (account.one_time_expired) {
      throw new ApiError('CREDENTIAL_EXPIRED', 'The one-time password has expired; ask an administrator for another.');
    }
    refuseInactive(account);
    await this.invitations.accept(account.email);
    const current = await this.withCurrentHash(account, password, address);
    return this.openSession(current);
  }

  /**
   * Replaces the password hash of an account when it was made with parameters of another release; `password` has just
   * been verified. When another login replaces the hash first, that hash stays. When the password itself was changed
   * meanwhile, the old row is returned, with which `openSession` refuses.
   */
  private async withCurrentHash(account: LoginRow, password: string, address: string | undefined): Promise<LoginRow> {
    const { account_id, email, password_hash, one_time_hash } = account;
    if (one_time_hash !== null || !this.passwords.isOutdated(password_hash)) return account;
    const tenant = tenantOfAddress(address);
    const passwordHash = await this.passwords.hash(password.normalize('NFC'), tenant);
    const { affectedRows } = await this.store.write(
      'UPDATE account SET password_hash = ? WHERE account_id = ? AND password_hash = ? AND one_time_hash IS NULL',
      [passwordHash, account_id, password_hash],
    );
    if (affectedRows > 0) return { ...account, password_hash: passwordHash };
    const stored = await this.store.row<LoginRow>(SELECT_LOGIN, [email]);
    const isSame = stored !== undefined && (await this.passwords.matches(stored.password_hash, password, tenant));
    return isSame ? stored : account;
  }

  /**
   * Logs in the demo account of a console that listens at a loopback address only. Throws INVALID_CREDENTIAL for an unknown e-mail address, and
   * OWNER_INACTIVE.
   */
  async logInWithoutPassword(email: string): Promise<OpenedSession> {
    const account = await this.store.row<LoginRow>(SELECT_LOGIN, [email]);
    if (!account) throw new ApiError('INVALID_CREDENTIAL', 'The demo account does not exist yet.');
    refuseInactive(account);
    return this.openSession(account);
  }

  /** Ends the session of the caller; its other sessions stay. */
  async logOut({ accountID, companyID, tokenHash }: SessionCaller): Promise<void> {
    await this.store.transaction(async (tx) => {
      const { affectedRows } = await tx.write('DELETE FROM login_session WHERE token_hash = ?', [tokenHash]);
      // Another call, such as a second logout, has ended the session meanwhile.
      if (affectedRows === 0) return;
      recordAction(tx, { action: 'session.close', objectID: accountID, companyID });
    });
  }

  /** Removes sessions that expired more than a day ago; several replicas may do so at once. Until then a call is CREDENTIAL_EXPIRED. */
  async removeExpiredSessions(isStopping = () => false): Promise<void> {
    const remove =
      'DELETE FROM login_session WHERE expires_at <= UTC_TIMESTAMP(3) - INTERVAL 1 DAY ORDER BY expires_at LIMIT ?';
    await deleteInBites(this.store, remove, [], { isStopping });
  }

  /**
   * Opens a session if the password is still the one that was verified. The row lock waits for a concurrent change of
   * the password, which ends only the sessions that exist before it, and for other logins of the account, so that its
   * sessions are counted exactly.
   */
  private async openSession(account: LoginRow): Promise<OpenedSession> {
    const { account_id, password_hash, one_time_hash, one_time_until } = account;
    const { value: token, hash } = mintSecret('bls');
    const createdAt = new Date();
    const fullExpiry = new Date(createdAt.getTime() + this.config.SESSION_HOURS * HOUR_MS);
    const expiresAt = one_time_until && one_time_until < fullExpiry ? one_time_until : fullExpiry;
    await this.store.transaction(async (tx) => {
      const { affectedRows } = await tx.write(
        `INSERT INTO login_session (token_hash, account_id, created_at, expires_at, one_time)
         SELECT ?, account_id, ?, ?, one_time_hash IS NOT NULL FROM account
          WHERE account_id = ? AND password_hash = ? AND one_time_hash <=> ? FOR UPDATE`,
        [hash, createdAt, expiresAt, account_id, password_hash, one_time_hash],
      );
      if (affectedRows === 0) throw new ApiError('INVALID_CREDENTIAL', NO_SUCH_ACCOUNT);
      await this.endOldestSessions(tx, account_id, hash);
      const { company_id: companyID } = account;
      recordAction(tx, { action: 'session.open', objectID: account_id, companyID, accountID: account_id });
    });
    return { token, expiresAt, oneTime: one_time_hash !== null };
  }

  /**
   * Ends the oldest sessions of an account beyond its limit. The session `opened` stays, even if the clocks of replicas
   * differ.
   */
  private async endOldestSessions(tx: Store, accountID: string, opened: Buffer): Promise<void> {
    const older = await tx.rows<{ token_hash: Buffer }>(
      `SELECT token_hash FROM login_session
        WHERE account_id = ? AND expires_at > UTC_TIMESTAMP(3) AND token_hash <> ?
        ORDER BY created_at DESC, token_hash LIMIT ? OFFSET ?`,
      [accountID, opened, MAX_ENDED_SESSIONS, this.config.SESSIONS_PER_ACCOUNT - 1],
    );
    if (older.length === 0) return;
    const hashes = older.map(({ token_hash }) => token_hash);
    await tx.write('DELETE FROM login_session WHERE token_hash IN (?)', [hashes]);
  }
}
