import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IsDefined, IsString } from 'class-validator';
import {
  DatabaseSettings,
  Integer,
  List,
  MigrateSettings,
  readSettings,
  servicePasswords,
  ServiceSettings,
  TracingSettings,
  TrustedProxies,
} from '.';

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

test.each(['0', '11', '1.5', 'NaN', 'Infinity', '1,5', 'one', '1e0', '0x5', '5_0', '5s', ' '])(
  '%j is not a whole number from 1 to 10',
  (SIZE) => {
    expect(() => readSettings(Settings, { NAME: 'a', SIZE })).toThrow(/SIZE: must be a whole number from 1 to 10/);
  },
);

test('spaces around a whole number do not count', () => {
  expect(readSettings(Settings, { NAME: 'a', SIZE: ' 5\n' }).SIZE).toBe(5);
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

test.each(['mysql://u:p@x', 'mysql://u:p@x/', 'mysql://u:p@x:3306/?ssl={}'])(
  'the database address %s, which names no database, is refused',
  (DATABASE_URL) => {
    const env = { DATABASE_URL, NATS_URL: 'nats://127.0.0.1:1' };
    expect(() => readSettings(ServiceSettings, env)).toThrow(
      new Error(
        'Settings are wrong:\n  DATABASE_URL: must name the database, as in mysql://user:password@host:3306/database',
      ),
    );
  },
);

test.each(['{verifyIdentity:true}', 'true', 'null', 'nonsense', ''])(
  'a database address with the TLS options %j, which are neither a JSON object nor false, is refused with its setting',
  (ssl) => {
    const env = { DATABASE_URL: `mysql://u:p@x/y?ssl=${ssl}`, NATS_URL: 'nats://127.0.0.1:1' };
    expect(() => readSettings(ServiceSettings, env)).toThrow('DATABASE_URL: ssl: must be a JSON object');
  },
);

test.each(['{"verifyIdentity":true}', '%7B%22verifyIdentity%22%3Atrue%7D', '{}', 'false', 'Amazon%20RDS'])(
  'a database address may have the TLS options %s',
  (ssl) => {
    const DATABASE_URL = `mysql://u:p@x/y?ssl=${ssl}`;
    const env = { DATABASE_URL, NATS_URL: 'nats://127.0.0.1:1' };
    expect(readSettings(ServiceSettings, env)).toMatchObject({ DATABASE_URL });
  },
);

test('a database address of another kind is refused', () => {
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

test.each(['loopback', '192.168.0.1, fd00::/8', '10.0.0.0/32, uniquelocal', '10.0.0.0/255.0.0.0'])(
  'TRUST_PROXY may be %s',
  (TRUST_PROXY) => {
    expect(() => readSettings(ProxySettings, { TRUST_PROXY })).not.toThrow();
  },
);

test.each([
  'yes',
  '-1',
  '100',
  '10.0.0.0/33',
  '10.0.0.0/0',
  '::1/129',
  '10.0.0.0/8/8',
  '10.0.0.0/255.0.255.0',
  '10.0.0.0/8,',
  'proxy.example.com',
])('TRUST_PROXY %s is refused, and the refusal names the setting', (TRUST_PROXY) => {
  expect(() => readSettings(ProxySettings, { TRUST_PROXY })).toThrow(
    'TRUST_PROXY: must be the number of proxies, from 0 to 99, or their networks, separated by commas, such as 10.0.0.0/8',
  );
});

test.each(['nonsense', 'a=1,nonsense', '=1', 'a b=1', 'a=%zz'])(
  'OTEL_EXPORTER_OTLP_HEADERS %s is refused, and the refusal names the setting',
  (OTEL_EXPORTER_OTLP_HEADERS) => {
    expect(() => readSettings(TracingSettings, { OTEL_EXPORTER_OTLP_HEADERS })).toThrow(
      'OTEL_EXPORTER_OTLP_HEADERS: must be name=value, several separated by commas, with percent-encoded values',
    );
  },
);

test.each(['authorization=Bearer%20secret', 'a=1, b=2,', 'a='])(
  'OTEL_EXPORTER_OTLP_HEADERS may be %s',
  (OTEL_EXPORTER_OTLP_HEADERS) => {
    expect(() => readSettings(TracingSettings, { OTEL_EXPORTER_OTLP_HEADERS })).not.toThrow();
  },
);

describe('secrets in files', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'batuta-secrets-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const fileWith = async (content: string) => {
    const path = join(folder, randomUUID());
    await writeFile(path, content);
    return path;
  };
  const read = (env: NodeJS.ProcessEnv) =>
    readSettings(ServiceSettings, { DATABASE_URL: 'mysql://x/y', NATS_URL: 'nats://127.0.0.1:1', ...env });

  test.each([
    ['s3cret', 's3cret'],
    ['s3cret\n', 's3cret'],
    ['s3cret\r\n', 's3cret'],
    ['s3cret\n\n', 's3cret\n'],
    [' s3cret ', ' s3cret '],
  ])('the file %j gives the secret without the last line end', async (content, value) => {
    expect(read({ DATABASE_PASSWORD_FILE: await fileWith(content), DATABASE_URL: 'mysql://u@x/y' })).toMatchObject({
      DATABASE_PASSWORD: value,
    });
  });

  test('an address with its password may be in a file', async () => {
    const DATABASE_URL_FILE = await fileWith('mysql://u:p@x/y\n');
    expect(read({ DATABASE_URL: '', DATABASE_URL_FILE }).DATABASE_URL).toBe('mysql://u:p@x/y');
  });

  test('a secret that is given both as a value and as a file is refused, and the error names both settings', async () => {
    const env = { NATS_PASSWORD: 's3cret', NATS_PASSWORD_FILE: await fileWith('s3cret') };
    expect(() => read(env)).toThrow(
      'NATS_PASSWORD_FILE: must not be given together with NATS_PASSWORD; remove one of them',
    );
  });

  test('a file that is missing, unreadable or empty is refused with its setting and its path', async () => {
    const [missing, empty, lineEnd] = [join(folder, 'missing'), await fileWith(''), await fileWith('\n')];
    const readFile = (DATABASE_URL_FILE: string) => () => read({ DATABASE_URL: '', DATABASE_URL_FILE });
    expect(readFile(missing)).toThrow(`DATABASE_URL_FILE: the file ${missing} cannot be read: ENOENT`);
    expect(readFile(folder)).toThrow(`DATABASE_URL_FILE: the file ${folder} cannot be read: EISDIR`);
    expect(readFile(empty)).toThrow(`DATABASE_URL_FILE: the file ${empty} is empty`);
    expect(readFile(lineEnd)).toThrow(`DATABASE_URL_FILE: the file ${lineEnd} is empty`);
    expect(readFile(missing)).not.toThrow(/DATABASE_URL:/);
  });

  test('a secret in place of the path is not shown', () => {
    expect(() => read({ NATS_PASSWORD_FILE: 's3cret' })).toThrow('NATS_PASSWORD_FILE: the file at this relative path');
    expect(() => read({ NATS_PASSWORD_FILE: 's3cret' })).not.toThrow(/s3cret/);
  });
});

test('a password with a setting of its own becomes part of its URL, whatever its characters', () => {
  const env = { DATABASE_URL: 'mysql://batuta@x:1/y?z=1', NATS_URL: 'nats://gateway@127.0.0.1:1' };
  const password = 'a/b@c:d%e?f#ü';
  const settings = readSettings(ServiceSettings, { ...env, DATABASE_PASSWORD: password, NATS_PASSWORD: password });
  expect(settings.DATABASE_URL).toBe(`mysql://batuta:${encodeURIComponent(password)}@x:1/y?z=1`);
  expect(decodeURIComponent(new URL(settings.NATS_URL).password)).toBe(password);
});

describe('several hosts', () => {
  const DATABASE_URL = 'mysql://x/y';
  const read = (env: NodeJS.ProcessEnv) => readSettings(ServiceSettings, { DATABASE_URL, ...env }).NATS_URL;

  test('a URL of several hosts names user and password once', () => {
    const NATS_URL = 'tls://gateway@nats-0.nodes:4222,nats-1.nodes:4222,[::1]:4223';
    expect(read({ NATS_URL })).toBe(NATS_URL);
    expect(read({ NATS_URL, NATS_PASSWORD: 'a,b@c' })).toBe(
      'tls://gateway:a%2Cb%40c@nats-0.nodes:4222,nats-1.nodes:4222,[::1]:4223',
    );
  });

  test.each([
    'tls://a:1,b:x',
    'tls://a:1,',
    'tls://a:1,tls://b:2',
    'tls://a:1,,b:2',
    'tls://a:1 b:2',
    'http://a:1,b:2',
  ])('NATS_URL %s is refused, and the refusal names the setting', (NATS_URL) => {
    expect(() => read({ NATS_URL })).toThrow(
      'NATS_URL: must begin with nats:// or tls:// and be a valid URL (of one or several hosts)',
    );
  });
});

test.each([
  ['mysql://u:p@x/y', 'DATABASE_PASSWORD: DATABASE_URL has a password already; remove one of them'],
  ['mysql://x/y', 'DATABASE_URL: must name the user whose password DATABASE_PASSWORD is'],
  ['nowhere', 'DATABASE_URL: must begin with mysql:// or mariadb:// and be a valid URL'],
])('a password for %s is refused', (DATABASE_URL, complaint) => {
  const env = { DATABASE_URL, NATS_URL: 'nats://127.0.0.1:1', DATABASE_PASSWORD: 's3cret' };
  expect(() => readSettings(ServiceSettings, env)).toThrow(complaint);
  expect(() => readSettings(ServiceSettings, env)).not.toThrow(/s3cret/);
});

describe('users of the database', () => {
  const DATABASE_URL = 'mysql://batuta@db:3306/batuta';

  test('DATABASE_USER replaces the user of DATABASE_URL, with or without a password of its own setting', () => {
    const read = (env: NodeJS.ProcessEnv) => readSettings(DatabaseSettings, env).DATABASE_URL;
    expect(read({ DATABASE_URL, DATABASE_USER: 'batuta_router', DATABASE_PASSWORD: 'p@ss' })).toBe(
      'mysql://batuta_router:p%40ss@db:3306/batuta',
    );
    expect(read({ DATABASE_URL: 'mysql://batuta:old@db/batuta', DATABASE_USER: 'other' })).toBe(
      'mysql://other:old@db/batuta',
    );
    expect(read({ DATABASE_URL })).toBe(DATABASE_URL);
  });

  test('the passwords of the services are all given or none, and the error names the missing ones', () => {
    const names = ['CONSOLE', 'EXECUTION', 'GATEWAY', 'ROUTER', 'SCHEDULE', 'WEBHOOK'];
    const env = Object.fromEntries(names.map((name) => [`DATABASE_${name}_PASSWORD`, name]));
    const read = (given: NodeJS.ProcessEnv) =>
      servicePasswords(readSettings(MigrateSettings, { DATABASE_URL, ...given }));
    expect(read({})).toBeUndefined();
    expect(read(env)).toMatchObject({ console: 'CONSOLE', webhook: 'WEBHOOK' });
    expect(() => read({ ...env, DATABASE_ROUTER_PASSWORD: '' })).toThrow(/DATABASE_ROUTER_PASSWORD: must be set/);
  });
});
