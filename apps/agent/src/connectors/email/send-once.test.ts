import type { StepOf } from '@batuta/flow';
import { createFlowWorld, useSandbox } from '../../../test/flow-world';
import {
  SMTP_PHASES,
  startMailSink,
  startScriptedServer,
  type SmtpPhase,
  type ScriptedServer,
} from '../../../test/mail-sink';
import { testCertificate } from '../../../test/test-certificate';
import { CLOSED_PORT } from '../../../test/tls-world';
import { hostAccess } from '../../network/host-access';
import { agentHostRules } from '../../network/agent-host-rules';

const sandbox = useSandbox({ workers: 1 });
const servers: ScriptedServer[] = [];

async function startServer(...script: Parameters<typeof startScriptedServer>): Promise<ScriptedServer> {
  const server = await startScriptedServer(...script);
  servers.push(server);
  return server;
}

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

const emailStep = (port: number, fields: Partial<StepOf<'email'>> = {}): StepOf<'email'> => ({
  name: 'mail',
  type: 'email',
  server: `smtp://ana:secret-1@127.0.0.1:${port}`,
  from: 'shop@x.example',
  to: 'ana@x.example',
  subject: 's',
  text: 't',
  ...fields,
});
const runEmailStep = async (port: number, fields: Partial<StepOf<'email'>> = {}) => {
  const world = createFlowWorld(sandbox);
  const end = await world.run([emailStep(port, fields)]);
  return { end, world };
};

const LONG_SECONDS = 600;
const NOT_SENT_AGAIN = 'the server may have accepted the message, so it is not sent again';
const STALL_MESSAGES: Record<SmtpPhase, string> = {
  greeting: 'while connecting',
  EHLO: 'while connecting',
  STARTTLS: 'while connecting',
  AUTH: 'during the login',
  MAIL: 'while taking the envelope',
  RCPT: 'while taking the envelope',
  DATA: 'while taking the envelope',
  message: `after the message was handed over; ${NOT_SENT_AGAIN}`,
};

test('a server that stalls in any phase ends the step within its time limit, and the error names the phase', async () => {
  // The test ends the time when every server has stalled, because on a busy machine a step may need seconds to come to its phase.
  const timeLimit = new AbortController();
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  const spy = jest.spyOn(AbortSignal, 'timeout');
  spy.mockImplementation((ms) => (ms === LONG_SECONDS * 1_000 ? timeLimit.signal : timeout(ms)));
  try {
    const stalls = await Promise.all(
      SMTP_PHASES.map(async (phase) => {
        const { port, wentWrong } = await startServer(phase, 'stalls');
        const ended = runEmailStep(port, { timeoutSeconds: LONG_SECONDS });
        await wentWrong;
        return { phase, port, ended };
      }),
    );
    timeLimit.abort();
    for (const { phase, port, ended } of stalls) {
      const { end } = await ended;
      expect(end.errorMessage).toBe(
        `Step "mail": mail server 127.0.0.1:${port} did not answer within ${LONG_SECONDS} s ${STALL_MESSAGES[phase]}`,
      );
    }
  } finally {
    spy.mockRestore();
  }
});

test.each(SMTP_PHASES.filter((phase) => phase !== 'message'))(
  'a connection that breaks at %s is tried again, because the message was not handed over',
  async (phase) => {
    const server = await startServer(phase, 'dies', { times: phase === 'STARTTLS' ? Infinity : 1 });
    const { end, world } = await runEmailStep(server.port, { retries: 1 });
    // The second connection is offered STARTTLS again, and the scripted server has no certificate, so it ends there.
    expect(end.outcome).toBe(phase === 'STARTTLS' ? 'ERROR' : 'FINALIZED');
    expect(server.seen).toEqual({ connections: 2, messages: phase === 'STARTTLS' ? 0 : 1 });
    expect(world.messages()).toMatch(/WARNING Step "mail": mail server \S+ .*; attempt 2 of 2 in/);
  },
);

test('a connection that breaks after the message was sent fails the step, and nothing is sent again', async () => {
  const server = await startServer('message', 'dies');
  const { end } = await runEmailStep(server.port, { retries: 5 });
  expect(server.seen).toEqual({ connections: 1, messages: 1 });
  expect(end.errorMessage).toContain(NOT_SENT_AGAIN);
});

test('a server that dies in the middle of the message fails the step, and nothing is sent again', async () => {
  const server = await startServer('DATA', { replies: '354 go ahead' });
  const large = 'x'.repeat(200_000);
  server.onLine = () => server.close();
  const { end } = await runEmailStep(server.port, { retries: 5, text: large });
  expect(server.seen).toEqual({ connections: 1, messages: 0 });
  expect(end.errorMessage).toContain(NOT_SENT_AGAIN);
});

test.each<[string, SmtpPhase, string, number]>([
  ['a temporary refusal of the sender is tried again', 'MAIL', '451 try later', 2],
  ['a temporary refusal of all recipients is tried again', 'RCPT', '450 greylisted', 2],
  ['a permanent refusal is not tried again', 'MAIL', '550 no', 1],
  ['a refused login is not tried again', 'AUTH', '535 no', 1],
  ['a refusal of the message itself is not tried again', 'message', '451 no', 1],
])('when an e-mail cannot be sent, %s', async (_rule, phase, reply, connections) => {
  const server = await startServer(phase, { replies: reply });
  const { end } = await runEmailStep(server.port, { retries: 1 });
  expect(server.seen.connections).toBe(connections);
  expect(end.errorMessage).toContain(reply);
  expect(end.errorMessage).not.toContain(NOT_SENT_AGAIN);
});

test('a refused connection fails the step with the reason', async () => {
  const { end } = await runEmailStep(CLOSED_PORT);
  expect(end.errorMessage).toMatch(/mail server 127\.0\.0\.1:\d+: .*ECONNREFUSED/);
});

test('a certificate that is not trusted is not tried again, whether TLS begins at once or by STARTTLS', async () => {
  for (const [scheme, secure] of [
    ['smtps', true],
    ['smtp', false],
  ] as const) {
    const sink = await startMailSink({ ...testCertificate(), secure });
    const { end, world } = await runEmailStep(sink.port, { server: `${scheme}://localhost:${sink.port}`, retries: 2 });
    expect(end.errorMessage).toContain('the certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT); --ca-file');
    expect(world.slept).toEqual([]);
    await sink.close();
  }
});

test('a server that does not speak TLS, or no SMTP, is not tried again', async () => {
  const plain = await startServer('EHLO', 'stalls');
  const webServer = await startServer('greeting', { replies: 'HTTP/1.1 400 Bad Request' });
  const encrypted = await runEmailStep(plain.port, { server: `smtps://127.0.0.1:${plain.port}`, retries: 2 });
  expect(encrypted.end.errorMessage).toMatch(/: no TLS with this server: wrong version number$/);
  const web = await runEmailStep(webServer.port, { retries: 2 });
  expect(web.end.errorMessage).toContain('Invalid greeting. response=HTTP/1.1 400 Bad Request');
  expect([...encrypted.world.slept, ...web.world.slept]).toEqual([]);
});

test.each<SmtpPhase>(['greeting', 'message'])('a stop ends a step whose server stalls at %s', async (phase) => {
  const server = await startServer(phase, 'stalls');
  const world = createFlowWorld(sandbox);
  const end = world.run([emailStep(server.port)]);
  await server.wentWrong;
  world.control.setDesired('stop');
  expect((await end).outcome).toBe('STOPPED');
});

test('a denied mail server fails the step at its first attempt, and nothing is sent to it', async () => {
  const server = await startServer('EHLO', 'stalls');
  const world = createFlowWorld(sandbox, { hostAccess: hostAccess(agentHostRules({ deny: ['127.0.0.0/8'] })) });
  const end = await world.run([emailStep(server.port, { retries: 2 })]);
  expect(end.errorMessage).toMatch(/does not connect to 127\.0\.0\.1, .*BATUTA_AGENT_DENY_HOSTS/);
  expect(world.messages()).not.toMatch(/attempt|secret-1/);
  expect(server.seen.connections).toBe(0);
});
