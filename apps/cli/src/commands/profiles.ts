import { refusal } from '../exit-codes';
import type { Registration } from './registration';

export function registerProfiles({ addNoun }: Registration): void {
  addNoun('profiles', 'installations and accounts of this user')
    .addVerb('list', 'show all profiles', async ({ settings, output }) => {
      const { profiles, profileName } = settings;
      // Never contains a token, because users may show the list to others.
      const rows = profiles.names().map((name) => {
        const { console, gateway, email, token, expiresAt, credential } = profiles.read(name) ?? {};
        const loggedIn = token !== undefined && !(Date.parse(expiresAt ?? '') <= Date.now());
        return {
          name,
          used: name === profileName,
          console,
          gateway,
          email,
          loggedIn,
          hasCredential: credential !== undefined,
        };
      });
      output.table({ profiles: rows }, rows, [
        { title: '', of: ({ used }) => (used ? '*' : ' ') },
        { title: 'PROFILE', of: ({ name }) => name },
        { title: 'CONSOLE', of: ({ console }) => console },
        { title: 'GATEWAY', of: ({ gateway }) => gateway },
        { title: 'ACCOUNT', of: ({ email }) => email },
        { title: 'LOGGED IN', of: ({ loggedIn }) => loggedIn },
        { title: 'CREDENTIAL', of: ({ hasCredential }) => hasCredential },
      ]);
    })
    .addVerb(
      'use <name>',
      'make a profile the one that counts when none is named',
      async ({ settings, output }, [name = '']) => {
        settings.profiles.use(name);
        output.show({ profile: name }, `The profile is now ${name}.`);
      },
    )
    .addVerb('remove <name>', 'forget a profile with its secrets', async ({ settings, output }, [name = '']) => {
      if (!settings.profiles.remove(name)) throw refusal(`There is no profile ${name}.`, 'batuta profiles list');
      output.show({ profile: name, removed: true }, `Removed the profile ${name}.`);
    });
}
