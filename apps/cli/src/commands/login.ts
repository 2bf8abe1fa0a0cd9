import { answerTo } from '@batuta/client';
import { usageError } from '../exit-codes';
import type { Context } from '../context';
import { askNewPassword } from '../terminal/ask-new-password';
import { addAction } from './action';
import type { Registration } from './registration';

interface LoginOptions {
  email?: string;
  passwordStdin?: boolean;
}

/** Matches hosts of this machine: a login over HTTP, without encryption, to any other host gives a warning. */
const LOCAL_HOST = /^(localhost|127(\.\d+){3}|\[::1\])$/;

export function registerLogin({ program, terminal }: Registration): void {
  const login = program
    .command('login')
    .description('log in; the token is stored in the settings of this user, readable for nobody else')
    .option('--email <address>', 'the account; asked for unless given')
    .option('--password-stdin', 'read the password from the standard input instead of asking for it')
    .addHelpText(
      'after',
      '\nThe profile keeps the addresses of --console and --gateway. A password is never an argument.',
    );
  addAction<LoginOptions>(login, terminal, logIn);
  addAction(program.command('logout').description('end the session and forget its token'), terminal, logOut);
  addAction(program.command('whoami').description('show the account of the session'), terminal, async (context) => {
    const account = await answerTo(context.console.GET('/manage/v1/me'));
    const { id = null, name = null } = account.company ?? {};
    context.output.fields(account, { ...account, company: name, companyID: id });
  });
  const password = program
    .command('password')
    .description('change the own password; ends all other sessions')
    .addHelpText(
      'after',
      '\nWithout a terminal the standard input holds the current and the new password, a line each.',
    );
  addAction(password, terminal, changePassword);
}

async function logIn(context: Context, _args: string[], { email, passwordStdin }: LoginOptions): Promise<void> {
  const { settings, terminal, output } = context;
  const url = settings.requireConsoleURL();
  const { protocol, hostname } = new URL(url);
  if (protocol === 'http:' && !LOCAL_HOST.test(hostname)) {
    output.note(`${url} is not encrypted: whoever sees the traffic reads the password.`);
  }
  if (email === undefined && !terminal.input.isTTY) throw usageError('--email: needed when nobody can be asked');
  const account = email ?? (await terminal.input.ask('E-mail: '));
  const password = passwordStdin
    ? withoutLastLineFeed(await terminal.input.readAll())
    : await terminal.input.ask(`Password of ${account}: `, { hidden: true });
  const console = context.consoleForLogin(url);
  const session = await answerTo(console.POST('/manage/v1/session', { body: { email: account, password } }));
  const { token, expiresAt, mustChangePassword } = session;
  settings.save({ console: url, gateway: settings.gatewayURL, email: account, token, expiresAt });
  output.show(
    { profile: settings.profileName, console: url, email: account, expiresAt, mustChangePassword },
    `Logged in at ${url} as ${account} until ${expiresAt} (profile ${settings.profileName}).`,
  );
  if (mustChangePassword) output.note('This is a one-time password: batuta password');
}

/**
 * Ends the session. Its token, if it is that of the profile, is deleted even when the console cannot be reached; the session then expires by
 * itself. An interrupted logout keeps the token, because the console may not have ended the session.
 */
async function logOut(context: Context): Promise<void> {
  const { settings, output, terminal } = context;
  const ended = await answerTo(context.console.DELETE('/manage/v1/session')).then(
    () => true,
    () => false,
  );
  terminal.signal.throwIfAborted();
  // With a token of BATUTA_TOKEN, or without a token for this console, that of the profile stays: its session continues.
  if (settings.token === settings.profile.token) settings.save({ token: undefined, expiresAt: undefined });
  output.show({ profile: settings.profileName, sessionEnded: ended }, 'Logged out.');
  if (!ended) output.note('The console did not confirm it; the session ends by itself.');
}

async function changePassword({ terminal, console, output }: Context): Promise<void> {
  const [currentPassword = '', newPassword = ''] = terminal.input.isTTY
    ? [
        await terminal.input.ask('Current password: ', { hidden: true }),
        await askNewPassword(terminal.input, 'New password'),
      ]
    : (await terminal.input.readAll()).split(/\r?\n/);
  await answerTo(console.PUT('/manage/v1/session/password', { body: { currentPassword, newPassword } }));
  output.show({ ok: true }, 'The password is changed; all other sessions have ended.');
}

const withoutLastLineFeed = (text: string) => text.replace(/\r?\n$/, '');
