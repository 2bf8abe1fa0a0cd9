import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';

const secretNames = new WeakMap<object, Set<string>>();
const urlsOfPasswords = new WeakMap<object, Map<string, string>>();
const urlsOfUsers = new WeakMap<object, Map<string, string>>();

/** A setting whose value is a secret: `<NAME>_FILE` may name a file that contains it, instead of the value itself. */
export function Secret(): PropertyDecorator {
  return (target, property) => {
    const names = secretNames.get(target) ?? new Set();
    secretNames.set(target, names.add(String(property)));
  };
}

/**
 * The password of the URL in another setting, without percent-encoding: `readSettings` encodes it and puts it into that
 * URL.
 */
export function PasswordOf(url: string): PropertyDecorator {
  return (target, property) => {
    const urls = urlsOfPasswords.get(target) ?? new Map<string, string>();
    urlsOfPasswords.set(target, urls.set(String(property), url));
    Secret()(target, property);
  };
}

/** The user for the URL in another setting; replaces a user that the URL itself names. */
export function UserOf(url: string): PropertyDecorator {
  return (target, property) => {
    const urls = urlsOfUsers.get(target) ?? new Map<string, string>();
    urlsOfUsers.set(target, urls.set(String(property), url));
  };
}

/** The secret settings of a class and of its base classes. */
export function secretSettings(type: new () => object): string[] {
  return ownAndInherited(type).flatMap((prototype) => [...(secretNames.get(prototype) ?? [])]);
}

/** Pairs of a password's setting and the setting of its URL. */
export function passwordSettings(type: new () => object): [password: string, url: string][] {
  return ownAndInherited(type).flatMap((prototype) => [...(urlsOfPasswords.get(prototype) ?? [])]);
}

/** Pairs of a user's setting and the setting of its URL. */
export function userSettings(type: new () => object): [user: string, url: string][] {
  return ownAndInherited(type).flatMap((prototype) => [...(urlsOfUsers.get(prototype) ?? [])]);
}

function ownAndInherited(type: new () => object): object[] {
  const found: object[] = [];
  for (let each: unknown = type.prototype; each instanceof Object; each = Object.getPrototypeOf(each)) found.push(each);
  return found;
}

/** The content of the file without its last line end. Throws an Error that says what is wrong with the path in `setting`. */
export function readSecretFile(setting: string, path: string): string {
  const content = readText(setting, path).replace(/\r?\n$/, '');
  if (content === '') throw new Error(`${setting}: ${shownPath(path)} is empty`);
  return content;
}

function readText(setting: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : String(error);
    throw new Error(`${setting}: ${shownPath(path)} cannot be read: ${code}`, { cause: error });
  }
}

/** Only an absolute path is repeated: other text may be a secret that was meant for the setting without `_FILE`. */
function shownPath(path: string): string {
  return isAbsolute(path) ? `the file ${path}` : 'the file at this relative path';
}
