import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestUser } from '../../../../apps/cli/test/test-terminal';
import * as s from '../../../support/shape';
import type { Owner } from '../tenants/factories';
import type { InstalledPackage } from './installed-package';
import type { Stack } from '../stack/stack';

/** Runs `batuta login`, which stores the session for the later commands of the user. */
export async function logInWithPassword(user: TestUser, { console, gateway }: Stack, owner: Owner): Promise<void> {
  const args = ['login', '--console', console, '--gateway', gateway, '--email', owner.email, '--password-stdin'];
  await user.json(args, { input: `${owner.password}\n` });
}

/** The profile `default`, which the program has stored for its user. */
export function readProfile({ configFolder }: TestUser): { token: string } {
  return s
    .object({ token: s.text() })
    .parse(JSON.parse(readFileSync(join(configFolder, 'profiles', 'default.json'), 'utf8')));
}

/** The completions that bash offers for the last word of a line, with the completion script of the installed program. */
export function completionsOf({ folder }: InstalledPackage, line: string): string[] {
  const script = `eval "$(batuta completion bash)"; COMP_WORDS=(${line}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _batuta
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const path = [join(folder, 'node_modules', '.bin'), dirname(process.execPath), process.env['PATH']].join(':');
  const { stdout } = spawnSync('bash', ['-c', script], { env: { PATH: path }, encoding: 'utf8' });
  return stdout.trim().split('\n');
}
