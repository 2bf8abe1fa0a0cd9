import { z } from 'zod';
import { flag, integer, readSettings, serviceSettings, trustedProxies } from '.';

const shape = { NAME: z.string(), SIZE: integer(1, 10).default(3), ON: flag().default(false) };

test('reads text into types and fills in defaults', () => {
  expect(readSettings(shape, { NAME: 'a', ON: 'true' })).toEqual({ NAME: 'a', SIZE: 3, ON: true });
});

test('empty text counts as absent', () => {
  expect(readSettings(shape, { NAME: 'a', SIZE: '' }).SIZE).toBe(3);
});

test('names every wrong setting at once and shows no value', () => {
  const read = () => readSettings(shape, { SIZE: 's3cret' });
  expect(read).toThrow(/NAME: .*\n.*SIZE: /);
  expect(read).not.toThrow(/s3cret/);
});

test('refuses a database address of another kind', () => {
  const env = { DATABASE_URL: 'postgres://x/y', NATS_URL: 'nats://127.0.0.1:1' };
  expect(() => readSettings(serviceSettings, env)).toThrow(/DATABASE_URL: must begin with mysql/);
});

test.each<[string | undefined, number | string[]]>([
  [undefined, 0],
  ['2', 2],
  ['10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
])('TRUST_PROXY %s trusts %j', (text, trusted) => {
  expect(readSettings({ TRUST_PROXY: trustedProxies }, { TRUST_PROXY: text })).toEqual({ TRUST_PROXY: trusted });
});
