import { IsDefined, IsString } from 'class-validator';
import { Integer, List, readSettings, ServiceSettings, TrustedProxies } from '.';

class Settings {
  @IsDefined({ message: 'is missing' })
  NAME!: string;

  @Integer(1, 10)
  SIZE = 3;

  @List(/^[a-z]$/, 'must be letters')
  LETTERS: string[] = [];
}

class OwnSettings extends ServiceSettings {
  @IsString()
  OWN = 'own';
}

test('text becomes the type of its setting, and an absent setting has its default', () => {
  const settings = readSettings(Settings, { NAME: 'a', LETTERS: 'b, c' });
  expect(settings).toEqual({ NAME: 'a', SIZE: 3, LETTERS: ['b', 'c'] });
});

test('empty text counts as absent', () => {
  expect(readSettings(Settings, { NAME: 'a', SIZE: '' }).SIZE).toBe(3);
});

test('the error names every wrong setting at once and shows no value', () => {
  const read = () => readSettings(Settings, { SIZE: 's3cret', LETTERS: 's3cret' });
  expect(read).toThrow(/NAME: is missing/);
  expect(read).toThrow(/SIZE: must be a whole number from 1 to 10/);
  expect(read).toThrow(/LETTERS: must be letters/);
  expect(read).not.toThrow(/s3cret/);
});

test.each(['0', '11', '1.5', 'NaN', 'Infinity', '1,5', 'one'])('%s is not a whole number from 1 to 10', (SIZE) => {
  expect(() => readSettings(Settings, { NAME: 'a', SIZE })).toThrow(/SIZE: must be a whole number from 1 to 10/);
});

test('undeclared variables are neither read nor copied', () => {
  const env = new Proxy<NodeJS.ProcessEnv>(
    { NAME: 'a', OTHER: 'b' },
    {
      get(target, name) {
        if (name === 'OTHER') throw new Error('OTHER was read');
        return Reflect.get(target, name);
      },
    },
  );
  expect(readSettings(Settings, env)).not.toHaveProperty('OTHER');
});

test('a subclass has the settings of its base class', () => {
  const env = { DATABASE_URL: 'mysql://x/y', NATS_URL: 'nats://127.0.0.1:1', PORT: '7' };
  expect(readSettings(OwnSettings, env)).toMatchObject({ ...env, PORT: 7, LOG_LEVEL: 'info', OWN: 'own' });
});

test('refuses a database address of another kind', () => {
  const env = { DATABASE_URL: 'postgres://x/y', NATS_URL: 'nats://127.0.0.1:1' };
  expect(() => readSettings(ServiceSettings, env)).toThrow(/DATABASE_URL: must begin with mysql/);
});

class ProxySettings {
  @TrustedProxies()
  TRUST_PROXY: number | string[] = 0;
}

test.each<[string | undefined, number | string[]]>([
  [undefined, 0],
  ['2', 2],
  ['10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
])('TRUST_PROXY %s trusts %j', (text, trusted) => {
  expect(readSettings(ProxySettings, { TRUST_PROXY: text })).toEqual({ TRUST_PROXY: trusted });
});
