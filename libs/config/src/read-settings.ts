import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync, type ValidationError } from 'class-validator';
import { joinHosts, splitHosts } from '@batuta/network';
import { passwordSettings, readSecretFile, secretSettings, userSettings } from './secrets';

type SettingProblems = Map<string, string>;

/**
 * Reads settings from the environment into an instance of a class whose properties are named like the variables. Only
 * properties with a validator are read; the initial value of a property is its default; empty text counts as absent. The value of
 * a `@Secret()` may be in a file that `<NAME>_FILE` names. Throws one Error that names every wrong setting. It repeats
 * absolute paths of files, but no value, because a value may be a secret.
 */
export function readSettings<Settings extends object>(
  type: new () => Settings,
  env: NodeJS.ProcessEnv,
): Readonly<Settings> {
  const problems: SettingProblems = new Map();
  const given = { ...givenSettings(settingNames(type), env), ...givenFiles(secretSettings(type), env, problems) };
  insertUsers(type, given);
  insertPasswords(type, given, problems);
  const settings = plainToInstance(type, given);
  for (const error of validateSync(settings, { stopAtFirstError: true })) {
    if (!problems.has(error.property)) problems.set(error.property, describeError(error));
  }
  if (problems.size === 0) return settings;
  throw new Error(`Settings are wrong:\n  ${[...problems.values()].join('\n  ')}`);
}

function settingNames(type: new () => object): string[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', true, false);
  return [...new Set(rules.map(({ propertyName }) => propertyName))];
}

function givenSettings(names: string[], env: NodeJS.ProcessEnv): Record<string, string> {
  const given: Record<string, string> = {};
  for (const name of names) {
    const text = env[name];
    if (text !== undefined && text !== '') given[name] = text;
  }
  return given;
}

function givenFiles(names: string[], env: NodeJS.ProcessEnv, problems: SettingProblems): Record<string, string> {
  const given: Record<string, string> = {};
  for (const name of names) {
    const setting = `${name}_FILE`;
    const path = env[setting];
    if (path === undefined || path === '') continue;
    if (env[name]) {
      problems.set(name, `${setting}: must not be given together with ${name}; remove one of them`);
      continue;
    }
    try {
      given[name] = readSecretFile(setting, path);
    } catch (error) {
      problems.set(name, error instanceof Error ? error.message : String(error));
    }
  }
  return given;
}

/** Inserts each user name that has a setting of its own into the URL of its server. */
function insertUsers(type: new () => object, given: Record<string, string>): void {
  for (const [user, address] of userSettings(type)) {
    const [name, { url: text, furtherHosts }] = [given[user], splitHosts(given[address]?.trim() ?? '')];
    // The validator of the URL's own setting refuses a text that is no URL.
    if (name === undefined || !URL.canParse(text)) continue;
    const url = new URL(text);
    url.username = encodeURIComponent(name);
    given[address] = joinHosts({ url: url.href, furtherHosts });
  }
}

/** Inserts each password that has a setting of its own into the URL of its server. */
function insertPasswords(type: new () => object, given: Record<string, string>, problems: SettingProblems): void {
  for (const [password, address] of passwordSettings(type)) {
    const [secret, { url: text, furtherHosts }] = [given[password], splitHosts(given[address]?.trim() ?? '')];
    // The validator of the URL's own setting refuses a text that is no URL.
    if (secret === undefined || problems.has(address) || !URL.canParse(text)) continue;
    const url = new URL(text);
    if (url.password !== '')
      problems.set(address, `${password}: ${address} has a password already; remove one of them`);
    else if (url.username === '') problems.set(address, `${address}: must name the user whose password ${password} is`);
    else {
      url.password = encodeURIComponent(secret);
      given[address] = joinHosts({ url: url.href, furtherHosts });
    }
  }
}

function describeError({ property, constraints }: ValidationError): string {
  return `${property}: ${Object.values(constraints ?? {})[0] ?? 'is wrong'}`;
}
