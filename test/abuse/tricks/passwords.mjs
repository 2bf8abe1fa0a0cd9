import { randomBytes } from 'node:crypto';
import { ACCOUNTS } from '../world.mjs';

const LOGIN_COUNT = 60;
const LOGINS_AT_ONCE = 30;

export const passwordsTrick = {
  name: 'passwords',
  /** An address of its own, because log-ins from that of the trick `logins`, which guesses passwords, are refused even with right ones. */
  from: '127.0.0.3',
  what: `${LOGIN_COUNT} log-ins with right passwords, ${LOGINS_AT_ONCE} at once, then a change of the password, of ${ACCOUNTS.changing.length} accounts`,

  requiredAnswers: ['201', '200'],

  prepare(attacker) {
    const { accounts } = attacker.world.tenant;
    attacker.changing = ACCOUNTS.changing.map((index) => ({ ...accounts[index] }));
  },

  async round(attacker) {
    const { changing } = attacker;
    const count = attacker.isShort ? 2 * changing.length : LOGIN_COUNT;
    await attacker.repeat(count, LOGINS_AT_ONCE, (number) => logIn(attacker, changing[number % changing.length]));
    await Promise.all(changing.map((account) => changePassword(attacker, account)));
  },
};

async function logIn(attacker, account) {
  const { email, password } = account;
  const { status, text } = await attacker.send('POST', `${attacker.world.console}/manage/v1/session`, {
    body: { email, password },
  });
  if (status === 201) account.token = JSON.parse(text).token;
}

async function changePassword(attacker, account) {
  const newPassword = randomBytes(12).toString('base64url');
  const { status } = await attacker.send('PUT', `${attacker.world.console}/manage/v1/session/password`, {
    bearer: account.token,
    body: { currentPassword: account.password, newPassword },
  });
  if (status === 200) account.password = newPassword;
}
