import { parseHostRule } from './host-rule';
import { guardedSocket } from './guarded-socket';
import { HostRefusedError, HostRules, refusalIn, type HostLists } from './host-rules';

const NO_ENTRIES: string[] = [];
/** Whether the rules permit a connection. `text` = `host[=address,…][ port]`: the addresses to which the name resolves; port 443 by default. */
function permits(rules: HostRules, text: string): boolean {
  const [, host = '', addresses, port = '443'] = /^([^=]+?)(?:=([^ ]*))?(?: (\d+))?$/.exec(text) ?? [];
  try {
    rules.permittedAddresses(host, Number(port), addresses?.split(',') ?? NO_ENTRIES);
    return true;
  } catch (error) {
    if (error instanceof HostRefusedError) return false;
    throw error;
  }
}

test.each<[string, string[]]>([
  ['its name in any spelling', ['api.example.com', 'API.Example.COM.', 'api.example.com=1.2.3.4']],
  ['a name below a wildcard', ['a.shop.example', 'a.b.shop.example']],
  ['an address in a range, also behind a name', ['10.1.2.3', 'db.local=10.9.9.9', '::ffff:10.1.2.3']],
  ['other spellings of an address', ['3232235777', '0xc0a80101', '0300.0250.1.1', '192.168.257', '[::ffff:c0a8:101]']],
  ['an IPv6 address in any spelling', ['2001:db8:0::5', '[2001:DB8::5]', 'six.example=2001:db8::5']],
  ['a rule with a port, on that port', ['mail.example 25']],
])('a denied host is refused by %s', (_rule, hosts) => {
  const rules = HostRules.of({
    deny: ['api.example.com', '*.shop.example', '10.0.0.0/8', '192.168.1.1', '2001:db8::5', 'mail.example:25'],
  });
  expect(hosts.filter((host) => permits(rules, host))).toEqual([]);
});

test('a host that the deny list does not name is allowed while there is no allow list', () => {
  const rules = HostRules.of({ deny: ['api.example.com', '*.shop.example', 'mail.example:25', '10.0.0.0/8'] });
  const hosts = ['example.com', 'xapi.example.com', 'shop.example', 'mail.example 587', '11.0.0.1', 'a.b=11.0.0.1'];
  expect(hosts.filter((host) => !permits(rules, host))).toEqual([]);
});

test('with an allow list only its hosts are allowed, and the deny list still counts', () => {
  const rules = HostRules.of({ allow: ['*.example.com', '10.0.0.0/8', '[fd01::]:443'], deny: ['bad.example.com'] });
  const hosts = ['a.example.com', '10.1.1.1', 'x=10.1.1.1', 'fd01::'];
  expect(hosts.filter((host) => !permits(rules, host))).toEqual([]);
  const others = ['bad.example.com', 'example.com', 'x=11.0.0.1', 'fd01:: 80', 'other.org'];
  expect(others.filter((host) => permits(rules, host))).toEqual([]);
});

test('a program connects only to the allowed addresses of a name, and one denied address refuses all', () => {
  expect(HostRules.of({ allow: ['10.0.0.0/8'] }).permittedAddresses('db', 1, ['fd00::1', '10.0.0.1'])).toEqual([
    '10.0.0.1',
  ]);
  expect(permits(HostRules.of({ deny: ['127.0.0.0/8'] }), 'x=1.2.3.4,127.0.0.1')).toBe(false);
});

/** Whether the name alone decides that a host is refused. */
function refusesName(lists: HostLists, host: string): boolean {
  try {
    HostRules.of(lists).checkName(host, 443);
    return false;
  } catch (error) {
    if (error instanceof HostRefusedError) return true;
    throw error;
  }
}

test.each<[string, HostLists, string, boolean]>([
  ['is denied', { deny: ['*.example.com'] }, 'a.example.com', true],
  ['is that of a metadata service', {}, 'metadata.google.internal', true],
  [
    'is that of a metadata service whose address is allowed',
    { allow: ['*', '169.254.169.254'] },
    'metadata.google.internal',
    false,
  ],
  ['is not in an allow list of names', { allow: ['erp.example', '*.example.org'] }, 'a.example.com', true],
  ['is in the allow list', { allow: ['erp.example', 'a.example.com'] }, 'a.example.com', false],
  ['may have an address in an allowed range', { allow: ['erp.example', '10.0.0.0/8'] }, 'a.example.com', false],
  ['is not denied, without an allow list', { deny: ['erp.example'] }, 'a.example.com', false],
  ['may have a public address', { allow: ['erp.example'], publicOnly: true }, 'a.example.com', false],
])(
  'a name that %s is refused by itself only if no address that it may have would be allowed',
  (_rule, lists, host, isRefused) => {
    expect(refusesName(lists, host)).toBe(isRefused);
  },
);

test('a socket to a host that is refused by its name does not resolve the name', () => {
  const resolve = jest.fn();
  const rules = HostRules.of({ allow: ['erp.example'] });
  expect(() => guardedSocket(rules, 'secret-value.example.com', 443, resolve)).toThrow(HostRefusedError);
  expect(resolve).not.toHaveBeenCalled();
});

const METADATA_HOSTS = [
  '169.254.169.254',
  '2852039166',
  '0xa9.254.169.254',
  '[::ffff:169.254.169.254]',
  '64:ff9b::a9fe:a9fe',
  'fe80::1',
  'fe80::1%eth0',
  'fd00:ec2::254',
  '100.100.100.200',
  'metadata.google.internal',
  'METADATA.google.internal.',
  'innocent.example=169.254.169.254',
  'innocent.example=1.2.3.4,fd00:ec2::254',
];

test.each([
  ['without lists', {}],
  ['although a wildcard allows all hosts', { allow: ['*', '0.0.0.0/0', '::/0', '169.254.0.0/16'] }],
  ['although the name that leads there is allowed', { allow: ['*', 'innocent.example'] }],
])('metadata services of clouds are refused %s', (_rule, lists) => {
  const rules = HostRules.of(lists);
  expect(METADATA_HOSTS.filter((host) => permits(rules, host))).toEqual([]);
});

test('a metadata service is allowed by an entry for exactly its address or its name', () => {
  const rules = HostRules.of({ allow: ['169.254.169.254', 'metadata.google.internal'] });
  expect(permits(rules, '[::ffff:169.254.169.254]')).toBe(true);
  expect(permits(rules, 'metadata.google.internal=169.254.169.253')).toBe(true);
  expect(permits(rules, '169.254.170.2')).toBe(false);
});

test('an address that means this machine is denied with the loopback address', () => {
  const rules = HostRules.of({ deny: ['127.0.0.0/8', '::1'] });
  expect(['0.0.0.0', '0', '[::]', '127.1'].filter((host) => permits(rules, host))).toEqual([]);
});

const words = { program: 'the robot', allowSetting: 'ROBOT_ALLOW', denySetting: 'ROBOT_DENY' };

test('a refusal names the program, the host, its address and the setting', () => {
  const lists = { allow: ['10.0.0.0/8'], deny: ['10.0.0.9'] };
  const refusal = (host: string, address: string) => () =>
    HostRules.of(lists, words).permittedAddresses(host, 443, [address]);
  expect(refusal('db.local', '10.0.0.9')).toThrow(/the robot .* db\.local \(10\.0\.0\.9\), port 443: .*ROBOT_DENY/);
  expect(refusal('db.local', '1.1.1.1')).toThrow(/db\.local \(1\.1\.1\.1\), port 443: .*ROBOT_ALLOW/);
  expect(refusal('x', '169.254.169.254')).toThrow(/metadata .* ROBOT_ALLOW/);
});

test('a program may give its refusals a class of its own, and they are still found', () => {
  class RobotError extends Error {}
  const rules = HostRules.of({ deny: ['x'] }, { ...words, refusal: (message) => new RobotError(message) });
  const refusal = () => rules.permittedAddresses('x', 443);
  expect(refusal).toThrow(RobotError);
  let thrown: unknown;
  try {
    refusal();
  } catch (error) {
    thrown = error;
  }
  expect(refusalIn(new AggregateError([new Error('other'), new Error('cause', { cause: thrown })]))).toBe(thrown);
  expect(refusalIn(new RobotError('not a refusal'))).toBeUndefined();
});

const NOT_PUBLIC_HOSTS = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0.0.0.0',
  '10.1.2.3',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '169.254.169.254',
  '192.0.2.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '[::1]',
  '[::]',
  '[::ffff:10.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::a00:1]',
  '[64:ff9b:1::1]',
  '[2002:a00:1::]',
  '[2001:0:a00:1::]',
  '[fc00::1]',
  '[fd12::1]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[2001:db8::1]',
  'a.example=10.0.0.1',
  'a.example=::1',
  'a.example',
];

test('with public hosts only, an address that is not public is refused, also behind a name', () => {
  const rules = HostRules.of({ publicOnly: true });
  expect(NOT_PUBLIC_HOSTS.filter((host) => permits(rules, host))).toEqual([]);
});

test('with public hosts only, public addresses need no entry', () => {
  const hosts = ['8.8.8.8', 'a.example=8.8.8.8', '[2606:4700::1111]', 'a.example=2606:4700::1111', '172.32.0.1'];
  const rules = HostRules.of({ publicOnly: true, allow: ['10.0.0.0/8'] });
  expect(hosts.filter((host) => !permits(rules, host))).toEqual([]);
});

test('with public hosts only, an entry of the allow list permits an address that is not public, and nothing else', () => {
  const rules = HostRules.of({ publicOnly: true, allow: ['10.0.0.0/8', 'intern.example:8443'] });
  const hosts = ['10.1.1.1', 'x=10.1.1.1', 'intern.example=192.168.1.1 8443'];
  expect(hosts.filter((host) => !permits(rules, host))).toEqual([]);
  const others = ['192.168.1.1', 'intern.example=192.168.1.1', 'other.example=192.168.1.1 8443', '127.0.0.1'];
  expect(others.filter((host) => permits(rules, host))).toEqual([]);
});

test('with public hosts only, a refusal does not tell the address of a name', () => {
  const refusal = () =>
    HostRules.of({ publicOnly: true }, words).permittedAddresses('intern.example', 443, ['10.0.0.7']);
  expect(refusal).toThrow(/the robot does not connect to intern\.example, port 443: .*ROBOT_ALLOW/);
  expect(refusal).not.toThrow(/10\.0/);
});

test('the allow list names a host by its name or address, and no name by a range of addresses', () => {
  const rules = HostRules.of({ allow: ['10.0.0.0/8', 'a.example', 'b.example:80'] });
  expect(['10.1.1.1', 'A.example.', 'b.example'].map((host) => rules.isInAllowList(host, 80))).toEqual([
    true,
    true,
    true,
  ]);
  expect([rules.isInAllowList('b.example'), rules.isInAllowList('c.example')]).toEqual([true, false]);
  expect([
    rules.isInAllowList('b.example', 81),
    rules.isInAllowList('c.example', 80),
    rules.isInAllowList('11.0.0.1', 80),
  ]).toEqual([false, false, false]);
});

test.each(['', 'http://x', 'a b', '10.0.0.0/33', '::/129', 'x/8', 'a.*', 'x:70000', '[::1', 'a*b', '10.0.0.0/x', '*.'])(
  '%j is not a rule for hosts',
  (text) => {
    expect(parseHostRule(text)).toBeUndefined();
  },
);
