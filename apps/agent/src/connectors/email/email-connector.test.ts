import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { StepOf, Step } from '@batuta/flow';
import { createFlowWorld, useSandbox } from '../../../test/flow-world';
import { startMailSink, type MailSink } from '../../../test/mail-sink';
import { testCertificate } from '../../../test/test-certificate';

const PASSWORD = 'hunter2-p@ss';
const sandbox = useSandbox({ workers: 1 });
const certificate = testCertificate();
const trustedBefore = getCACertificates('default');
const sinks: MailSink[] = [];
const loginRequired: Parameters<typeof startMailSink>[0] = {
  authOptional: false,
  onAuth: ({ username, password }, _session, done) =>
    password === PASSWORD ? done(null, { user: username }) : done(new Error(`no user with ${password}`)),
};

async function startSink(options: Parameters<typeof startMailSink>[0] = {}): Promise<MailSink> {
  const sink = await startMailSink(options);
  sinks.push(sink);
  return sink;
}

afterEach(async () => {
  setDefaultCACertificates(trustedBefore);
  await Promise.all(sinks.splice(0).map((sink) => sink.close()));
});

const MATRIX_VALUES = [
  { name: 'total', type: 'Moeda', value: 1234.5 },
  { name: 'customer', type: 'Texto', value: '<b>Ana</b>' },
  { name: 'token', type: 'Secreto', value: 'secret-token-1' },
];
const emailStep = (server: string, fields: Partial<StepOf<'email'>> = {}): StepOf<'email'> => ({
  name: 'mail',
  type: 'email',
  server,
  from: 'Loja São João <shop@x.example>',
  to: 'ana@x.example',
  subject: 'Pedido de R$ {matrix.total}',
  text: 'Olá {matrix.customer}',
  as: 'sent',
  ...fields,
});
const showStep = (...names: string[]): Step => ({
  name: 'show',
  type: 'variables',
  rows: names.map((name, n) => ({ name: `v${n}`, mode: 'Variável ou texto', value: `{${name}}` })),
});
const runEmailStep = async (step: StepOf<'email'>, { vault = {}, next = [] as Step[] } = {}) => {
  const world = createFlowWorld(sandbox);
  const end = await world.run([step, ...next], { matrix: MATRIX_VALUES, vault });
  return { end, messages: world.messages() };
};

test('a message arrives with its fields, and the variables of the step name it and its recipients', async () => {
  const sink = await startSink();
  const fields = {
    cc: ['Bia <bia@x.example>'],
    bcc: 'hidden@x.example',
    replyTo: 'help@x.example',
    html: '<p>Olá {matrix.customer}, R$ {matrix.total}</p>',
    headers: { 'X-Order': '7' },
    routes: [{ to: 'show' }],
  };
  const { end, messages } = await runEmailStep(emailStep(`smtp://127.0.0.1:${sink.port}`, fields), {
    next: [showStep('connector.messageId', 'connector.accepted', 'connector.rejected', 'sent.messageId')],
  });
  expect(end.outcome).toBe('FINALIZED');
  expect(sink.received).toHaveLength(1);
  const [received] = sink.received;
  expect(received).toMatchObject({
    from: 'shop@x.example',
    to: ['ana@x.example', 'bia@x.example', 'hidden@x.example'],
    mail: {
      subject: 'Pedido de R$ 1.234,50',
      text: expect.stringMatching(/^Olá <b>Ana<\/b>\s*$/),
      html: expect.stringContaining('<p>Olá &#60;b&#62;Ana&#60;/b&#62;, R$ 1.234,50</p>'),
      from: { text: '"Loja São João" <shop@x.example>' },
      cc: { text: '"Bia" <bia@x.example>' },
      replyTo: { text: 'help@x.example' },
      messageId: '<i-1.1@x.example>',
      date: new Date(Date.UTC(2026, 0, 5, 12)),
    },
  });
  expect(received?.raw).toMatch(/^X-Order: 7\r$/m);
  expect(received?.raw).not.toContain('hidden@');
  expect(messages).toContain('v0 = "<i-1.1@x.example>", v1 = ["ana@x.example","bia@x.example","hidden@x.example"]');
  expect(messages).toContain('v2 = [], v3 = "<i-1.1@x.example>"');
});

test('onError reads no value of an earlier message when a step fails before it has one', async () => {
  const sink = await startSink();
  const server = `smtp://127.0.0.1:${sink.port}`;
  const second = { ...emailStep(server, { to: 'nobody' }), name: 'second', onError: [{ to: 'show' }] };
  const { messages } = await runEmailStep(emailStep(server, { routes: [{ to: 'second' }] }), {
    next: [second, showStep('connector.messageId', 'connector.accepted')],
  });
  expect(sink.received).toHaveLength(1);
  expect(messages).toContain('v0 = empty, v1 = empty');
});

test.each([
  ['smtp', '127.0.0.1'],
  ['smtps', 'localhost'],
])('over %s://%s with TLS and a login the message arrives, and the password in no log', async (scheme, host) => {
  const sink = await startSink({ ...loginRequired, ...certificate, secure: scheme === 'smtps' });
  setDefaultCACertificates([...trustedBefore, certificate.cert]);
  const server = `${scheme}://ana:${encodeURIComponent(PASSWORD)}@${host}:${sink.port}`;
  const { end, messages } = await runEmailStep(emailStep('{vault.MAIL}'), { vault: { MAIL: server } });
  expect(end.errorMessage).toBeNull();
  expect(sink.received).toMatchObject([{ secure: true, user: 'ana' }]);
  expect(messages).not.toContain('hunter2');
});

test.each([
  [
    'whose certificate no authority signed',
    'smtps://127.0.0.1',
    { ...certificate, secure: true },
    /certificate is not trusted/,
  ],
  ['whose certificate is untrusted after STARTTLS', 'smtp://127.0.0.1', certificate, /certificate is not trusted/],
  ['that offers no STARTTLS where it is required', 'smtp://127.0.0.1?starttls=required', {}, /STARTTLS/],
])('nothing is sent to a server %s', async (_rule, server, options, message) => {
  const sink = await startSink(options);
  const { end } = await runEmailStep(emailStep(server.replace('127.0.0.1', `127.0.0.1:${sink.port}`)));
  expect(end.errorMessage).toMatch(message);
  expect(sink.received).toEqual([]);
});

test('a refused login fails the step, and a password in the reply of the server is masked', async () => {
  const sink = await startSink({ ...loginRequired, allowInsecureAuth: true });
  const { end, messages } = await runEmailStep(
    emailStep(`smtp://ana:wrong-password-9@127.0.0.1:${sink.port}`, { retries: 2 }),
  );
  expect(end.errorMessage).toMatch(/Step "mail": mail server 127\.0\.0\.1:\d+: Invalid login: 535 no user with •••/);
  expect(messages).not.toContain('wrong-password');
});

test('no password is sent to a server that offers no login', async () => {
  const sink = await startSink({ disabledCommands: ['STARTTLS', 'AUTH'] });
  const { end } = await runEmailStep(emailStep(`smtp://ana:${PASSWORD.replace('@', '%40')}@127.0.0.1:${sink.port}`));
  expect(end.errorMessage).toMatch(/offers no login, but its address has a user/);
});

describe('recipients', () => {
  const startSinkThatRejects = (pattern: RegExp, responseCode: number) =>
    startSink({
      onRcptTo: ({ address }, _session, done) =>
        done(pattern.test(address) ? Object.assign(new Error('no such user'), { responseCode }) : null),
    });

  test('rejected recipients do not fail a step that reaches other recipients, and the log names them with the reason', async () => {
    const sink = await startSinkThatRejects(/^bia@/, 550);
    const step = emailStep(`smtp://127.0.0.1:${sink.port}`, {
      to: ['ana@x.example', 'bia@x.example'],
      routes: [{ to: 'show' }],
    });
    const { end, messages } = await runEmailStep(step, { next: [showStep('connector.accepted', 'sent.rejected')] });
    expect(end.outcome).toBe('FINALIZED');
    expect(messages).toContain('WARNING Step "mail": the mail server rejected bia@x.example: 550 no such user');
    expect(messages).toContain('v0 = ["ana@x.example"], v1 = ["bia@x.example"]');
  });

  test('rejected recipients fail the step when all are rejected, and onError can read them and the reply', async () => {
    const sink = await startSinkThatRejects(/@/, 550);
    const step = emailStep(`smtp://127.0.0.1:${sink.port}`, { onError: [{ to: 'show' }], retries: 2 });
    const { messages } = await runEmailStep(step, {
      next: [showStep('connector.rejected', 'sent.accepted', 'lastErrorStatus')],
    });
    expect(messages).toMatch(/ERROR Step "mail": mail server \S+ Can't send mail - all recipients were rejected: 550/);
    expect(messages).toContain('v0 = ["ana@x.example"], v1 = [], v2 = 550');
    expect(sink.received).toEqual([]);
  });

  test.each([
    ['first', 450, 550],
    ['last', 550, 450],
  ])(
    'recipients of which the server refuses the %s only for now are in rejected after the last attempt as well',
    async (_which, ana, bia) => {
      const sink = await startSink({
        onRcptTo: ({ address }, _session, done) =>
          done(Object.assign(new Error('no'), { responseCode: address.startsWith('ana') ? ana : bia })),
      });
      const step = emailStep(`smtp://127.0.0.1:${sink.port}`, {
        to: ['ana@x.example', 'bia@x.example'],
        onError: [{ to: 'show' }],
        retries: 1,
      });
      const { messages } = await runEmailStep(step, {
        next: [showStep('connector.rejected', 'sent.rejected', 'lastErrorStatus')],
      });
      expect(messages).toMatch(/WARNING Step "mail": .*; attempt 2 of 2 in/);
      expect(messages).toContain(
        'v0 = ["ana@x.example","bia@x.example"], v1 = ["ana@x.example","bia@x.example"], v2 = 450',
      );
    },
  );
});

test('a message that the server finds too large is not sent', async () => {
  const sink = await startSink({ size: 1000 });
  const { end } = await runEmailStep(
    emailStep(`smtp://127.0.0.1:${sink.port}`, { text: 'x'.repeat(2000), retries: 2 }),
  );
  expect(end.errorMessage).toMatch(/Message size larger than allowed 1000/);
});
