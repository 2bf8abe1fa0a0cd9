import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { mintSecret } = require('../dist/libs/auth/src');

/** Creates a login session of an account that lasts an hour; returns its token. */
export async function createLoginSession(database, { account_id }) {
  const { value, hash: token_hash } = mintSecret('bls');
  const [created_at, expires_at] = [new Date(), new Date(Date.now() + 3_600_000)];
  await database.query('INSERT INTO login_session SET ?', [{ token_hash, account_id, created_at, expires_at }]);
  return value;
}
