const KEY_BYTES = 32;
const ENTRY = /^([\w-]{1,32}):([A-Za-z0-9+/_-]+=*)$/;

/** What a value of SECRET_KEYS must be. It repeats nothing of a wrong value, which may have a key in any place. */
export const SECRET_KEYS_RULE =
  'must be id:key, several separated by commas: each id once, of 1 to 32 letters, digits, - and _; each key 32 bytes in base64';

/** The keys by their ids, in the order of `text`, which is `id:base64,id:base64`; undefined for any other text. */
export function parseSecretKeys(text: string): Map<string, Buffer> | undefined {
  const keys = new Map<string, Buffer>();
  for (const entry of text.split(',')) {
    const [, id = '', encoded = ''] = ENTRY.exec(entry) ?? [];
    const key = Buffer.from(encoded, 'base64');
    if (key.length !== KEY_BYTES || keys.has(id)) return undefined;
    keys.set(id, key);
  }
  return keys;
}
