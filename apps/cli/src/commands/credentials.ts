import { answerTo } from '@batuta/client';
import type { CredentialAnswer, KeyAnswer } from '@batuta/client/console-types';
import { allPages } from '@batuta/process-files';
import { processIDOf } from '../connections/named-resources';
import type { ConnectionSettings } from '../connections/settings';
import { CommandFailure } from '../exit-codes';
import type { Profile } from '../profiles/profile-store';
import type { Registration } from './registration';

interface MintOptions {
  expires?: string;
  save?: boolean;
}

const EXPIRES = '--expires <time>';
const EXPIRES_MEANING = 'when it ends, such as 2030-01-31T00:00:00Z; never unless given';
const SAVED_NOTE = 'It is stored in the profile and shown nowhere else.';

export function registerCredentials(registration: Registration): void {
  registerCredentialCommands(registration);
  registerKeyCommands(registration);
}

function registerCredentialCommands({ addNoun }: Registration): void {
  addNoun('credentials', 'secrets by which third parties call the public API as this account')
    .addVerb('list', 'show all credentials, without their secrets', async ({ console, output }) => {
      const read = async (query: object) =>
        (await answerTo(console.GET('/manage/v1/credentials', { params: { query } }))).credentials;
      const credentials = await allPages(read, ({ id }) => id);
      output.table({ credentials }, credentials, [
        { title: 'CREDENTIAL', of: ({ id }) => id },
        { title: 'LABEL', of: ({ label }) => label },
        { title: 'STATE', of: stateOf },
        { title: 'CREATED', of: ({ createdAt }) => createdAt },
      ]);
    })
    .addVerb<MintOptions>(
      'create <label>',
      'create a credential; its secret is shown once',
      async ({ console, output, settings }, [label = ''], { expires, save }) => {
        if (save) settings.requireGatewayURL();
        const body = { label, ...(expires !== undefined && { expiresAt: expires }) };
        const { id, value } = await answerTo(console.POST('/manage/v1/credentials', { body }));
        if (!save) return output.show({ id, value }, value);
        store(settings, { credential: value }, `batuta credentials revoke ${id}`);
        output.show({ id, saved: true }, SAVED_NOTE);
      },
      (command) =>
        command.option(EXPIRES, EXPIRES_MEANING).option('--save', 'store it in the profile instead of showing it'),
    )
    .addVerb('revoke <credential>', 'end a credential for good', async ({ console, output }, [id = '']) => {
      await answerTo(console.DELETE('/manage/v1/credentials/{id}', { params: { path: { id } } }));
      output.show({ id, revoked: true }, `Revoked ${id}.`);
    });
}

function registerKeyCommands({ addNoun }: Registration): void {
  addNoun('keys', 'process keys, which a caller of the public API needs for one process')
    .addVerb(
      'list <process>',
      'show the keys of a process, without their secrets',
      async ({ console, output }, [given = '']) => {
        const pid = await processIDOf(console, given);
        const read = async (query: object) =>
          (await answerTo(console.GET('/manage/v1/processes/{pid}/keys', { params: { path: { pid }, query } }))).keys;
        const keys = await allPages(read, ({ id }) => id);
        output.table({ keys }, keys, [
          { title: 'KEY', of: ({ id }) => id },
          { title: 'IDENTIFIER', of: ({ identifier }) => identifier },
          { title: 'STATE', of: stateOf },
          { title: 'CREATED', of: ({ createdAt }) => createdAt },
        ]);
      },
    )
    .addVerb<MintOptions>(
      'create <process> <identifier>',
      'create a process key; its secret is shown once',
      async ({ console, output, settings }, [given = '', identifier = ''], { expires, save }) => {
        if (save) settings.requireGatewayURL();
        const pid = await processIDOf(console, given);
        const body = { identifier, ...(expires !== undefined && { expiresAt: expires }) };
        const init = { params: { path: { pid } }, body };
        const { id, value } = await answerTo(console.POST('/manage/v1/processes/{pid}/keys', init));
        if (!save) return output.show({ id, value }, value);
        store(settings, { processKeys: { [pid]: value } }, `batuta keys revoke ${id}`);
        output.show({ id, saved: true }, SAVED_NOTE);
      },
      (command) =>
        command.option(EXPIRES, EXPIRES_MEANING).option('--save', 'store it in the profile instead of showing it'),
    )
    .addVerb('revoke <key>', 'end a process key for good', async ({ console, output }, [id = '']) => {
      await answerTo(console.DELETE('/manage/v1/keys/{id}', { params: { path: { id } } }));
      output.show({ id, revoked: true }, `Revoked ${id}.`);
    });
}

/** Stores a new secret. When that fails, nobody can read the secret again, so the CommandFailure names the command that revokes it. */
function store(settings: ConnectionSettings, secret: Profile, revocation: string): void {
  try {
    settings.save({ ...secret, gateway: settings.requireGatewayURL() });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure('failure', `The secret is created, but cannot be stored: ${reason}`, revocation);
  }
}

function stateOf({ revokedAt, expiresAt }: Pick<CredentialAnswer | KeyAnswer, 'revokedAt' | 'expiresAt'>): string {
  if (revokedAt !== null) return `revoked ${revokedAt}`;
  if (expiresAt === null) return 'valid';
  return `${Date.parse(expiresAt) <= Date.now() ? 'expired' : 'valid until'} ${expiresAt}`;
}
