import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { exampleCall } from './example-call';

const URL = 'https://batuta.example/hooks/dev/abc';
const variable = { id: 'v', default: null } as const;
const matrix = [
  { ...variable, name: 'customer', type: 'Texto', default: "D'Ávila" } as const,
  { ...variable, name: 'token', type: 'Secreto' } as const,
];

/** Runs a command with a `curl` that prints its arguments, one a line. */
function run(command: string, secret: string) {
  const script = `curl() { printf '%s\\n' "$@"; }\n${command}`;
  const env = { ...process.env, BATUTA_WEBHOOK_SECRET: secret };
  return spawnSync('bash', ['-c', script], { env, encoding: 'utf8' });
}

const argumentsOf = (command: string) => run(command, 'shared').stdout.trim().split('\n');

test('the example call of a webhook URL sends a field for each variable but the secret ones', () => {
  const sent = argumentsOf(exampleCall(URL, { signature: null, matrix }));
  expect(sent).toEqual(['-X', 'POST', URL, '-H', 'Content-Type: application/json', '-d', `{"customer":"D'Ávila"}`]);
});

test('the example call of a process without variables sends an order', () => {
  const sent = argumentsOf(exampleCall(URL, { signature: null, matrix: [] }));
  expect(JSON.parse(sent.at(-1) ?? '')).toEqual({ order: { number: 1, customer: 'Ana' } });
});

test('the example call of a signed origin signs the body and its time with the shared secret', () => {
  const signature = { header: 'X-Signature', toleranceSeconds: 300 };
  const sent = argumentsOf(exampleCall(URL, { signature, matrix }));
  const [, time = '', digest] = /^X-Signature: t=(\d+),v1=([0-9a-f]{64})$/.exec(sent[6] ?? '') ?? [];
  expect(digest).toBe(
    createHmac('sha256', 'shared')
      .update(`${time}.${sent.at(-1)}`)
      .digest('hex'),
  );
});

test('the shell runs nothing of an example call that is in the name of the header', () => {
  const signature = { header: "X-`echo`$HOME'|!", toleranceSeconds: null };
  const sent = argumentsOf(exampleCall(URL, { signature, matrix }));
  expect(sent[6]).toMatch(/^X-`echo`\$HOME'\|!: t=\d+,v1=[0-9a-f]{64}$/);
});

test('without the shared secret in the environment, the example call of a signed origin is not sent and names the missing variable', () => {
  const command = exampleCall(URL, { signature: { header: 'X-Signature', toleranceSeconds: null }, matrix });
  // A terminal runs each line of a pasted command, also after a line that failed, unless `&&` or `\` joins the two.
  expect(
    command
      .split('\n')
      .slice(0, -1)
      .filter((line) => !/( &&| \\)$/.test(line)),
  ).toEqual([]);
  const { stdout, stderr } = run(command, '');
  expect(stdout).toBe('');
  expect(stderr).toContain('BATUTA_WEBHOOK_SECRET: set it to the shared secret of this origin');
});
