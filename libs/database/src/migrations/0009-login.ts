import { readEmail } from '@batuta/auth';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isDuplicate } from '../store';
import { addColumn } from './repeatable';
import { ID_TYPE, TABLE_OPTIONS, TIME_TYPE } from './types';

const ACCOUNT_BATCH_SIZE = 500;

interface AccountRow {
  account_id: string;
  email: string;
}

/**
 * Makes the comparison of e-mail addresses exact, and adds one-time passwords, events of accounts, and invitations to a
 * process. Every statement can run again after a cut.
 */
export class Login0009 implements MigrationInterface {
  readonly name = 'Login1700000000009';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
    // The hash of a one-time password. A reset stores it here and sets the account's own hash to one that no password has.
    await addColumn(runner, 'account', 'one_time_hash', 'varchar(255) CHARACTER SET ascii NULL');
    await addColumn(runner, 'account', 'one_time_until', `${TIME_TYPE} NULL`);
    // 1 = the session was opened with a one-time password and may only change the password or log out.
    await addColumn(runner, 'login_session', 'one_time', 'tinyint(1) NOT NULL DEFAULT 0');
    await normalizeEmails(runner);
  }

  async down(): Promise<void> {
    throw new Error('Migrations are only added');
  }
}

const STATEMENTS = [
  // The new collation distinguishes more than the old one, so that no two rows violate the unique key.
  'ALTER TABLE account MODIFY email varchar(254) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL',
  // `actor_id` is the account that acted, `account_id` the account that was changed.
  `CREATE TABLE IF NOT EXISTS account_event (
    event_id bigint NOT NULL AUTO_INCREMENT PRIMARY KEY,
    account_id ${ID_TYPE} NOT NULL,
    actor_id ${ID_TYPE} NOT NULL,
    action varchar(40) CHARACTER SET ascii NOT NULL,
    created_at ${TIME_TYPE} NOT NULL,
    KEY account_event_account (account_id, event_id)
  ) ${TABLE_OPTIONS}`,
  // A share for an e-mail address that no account has yet.
  `CREATE TABLE IF NOT EXISTS share_invitation (
    process_id ${ID_TYPE} NOT NULL,
    email varchar(254) COLLATE utf8mb4_bin NOT NULL,
    may_execute tinyint(1) NOT NULL,
    may_edit tinyint(1) NOT NULL,
    may_api tinyint(1) NOT NULL,
    may_schedule tinyint(1) NOT NULL,
    may_delete tinyint(1) NOT NULL,
    may_share tinyint(1) NOT NULL,
    created_at ${TIME_TYPE} NOT NULL,
    PRIMARY KEY (process_id, email),
    KEY share_invitation_email (email)
  ) ${TABLE_OPTIONS}`,
  // Accounts whose e-mail address could not be normalized; `problem` is taken or invalid.
  `CREATE TABLE IF NOT EXISTS email_problem (
    account_id ${ID_TYPE} NOT NULL PRIMARY KEY,
    problem varchar(8) CHARACTER SET ascii NOT NULL,
    found_at ${TIME_TYPE} NOT NULL
  ) ${TABLE_OPTIONS}`,
];

async function normalizeEmails(runner: QueryRunner): Promise<void> {
  let after = '';
  for (;;) {
    const rows: AccountRow[] = await runner.query(
      `SELECT account_id, email FROM account WHERE account_id > ? ORDER BY account_id LIMIT ${ACCOUNT_BATCH_SIZE}`,
      [after],
    );
    for (const row of rows) await normalizeEmailOf(row, runner);
    const last = rows.at(-1);
    if (!last) return;
    after = last.account_id;
  }
}

/** An address that another account has already, or that is not valid, stays unchanged and is reported. */
async function normalizeEmailOf({ account_id: accountID, email }: AccountRow, runner: QueryRunner): Promise<void> {
  const normalized = readEmail(email);
  if (normalized === email) return;
  const problem = normalized === undefined ? 'invalid' : await renameAccount(normalized);
  if (problem === undefined) return;
  // The log does not contain the address itself.
  console.warn(
    JSON.stringify({ accountID, problem, message: 'the e-mail address of this account was not normalized' }),
  );
  await runner.query(
    `INSERT INTO email_problem (account_id, problem, found_at) VALUES (?, ?, UTC_TIMESTAMP(3))
     ON DUPLICATE KEY UPDATE problem = VALUES(problem)`,
    [accountID, problem],
  );

  async function renameAccount(to: string): Promise<'taken' | undefined> {
    try {
      await runner.query('UPDATE account SET email = ? WHERE account_id = ? AND email = ?', [to, accountID, email]);
      return undefined;
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      return 'taken';
    }
  }
}
