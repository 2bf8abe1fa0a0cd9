import { ACCOUNTS } from '../world.mjs';

const LOGIN_COUNT = 40;

export const loginsTrick = {
  name: 'logins',
  what: `${LOGIN_COUNT} log-ins at once with wrong passwords, each with another spelling of one e-mail`,

  requiredAnswers: ['401 INVALID_CREDENTIAL', '429 RATE_LIMITED'],
  forbiddenAnswers: ['200'],

  async round(attacker) {
    const { console, tenant } = attacker.world;
    await attacker.repeat(LOGIN_COUNT, LOGIN_COUNT, (number) =>
      attacker.send('POST', `${console}/manage/v1/session`, {
        body: {
          email: respell(tenant.accounts[ACCOUNTS.guessed].email, number),
          password: `wrong ${number}`,
        },
      }),
    );
  },
};

/** The same letters in capitals, in full width or with an accent, depending on the bits of the number. */
function respell(email, number) {
  const [name, domain] = email.split('@');
  const letters = Array.from(name, (letter, index) => {
    if (((number >> (index % 6)) & 1) === 0 || !/[a-z]/.test(letter)) return letter;
    return [letter.toUpperCase(), String.fromCodePoint(letter.codePointAt(0) + 0xfee0), `${letter}\u0301`][index % 3];
  });
  return `${letters.join('')}@${domain}`;
}
