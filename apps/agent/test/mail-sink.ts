import { EventEmitter, once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { callbackify } from 'node:util';
import { simpleParser, type ParsedMail } from 'mailparser';
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';
import { listenOnFreePort } from '../../../test/support/web-server';

export interface ReceivedMail {
  from: string;
  to: string[];
  /** Whether the connection was encrypted, also by STARTTLS. */
  secure: boolean;
  /** What the option `onAuth` has made of the login; false or undefined without one. */
  user: unknown;
  raw: string;
  /** The message in `raw`, parsed. */
  mail: ParsedMail;
}

export interface MailSink {
  port: number;
  received: ReceivedMail[];
  close(): Promise<void>;
}

/** For tests: a real SMTP server that takes every message. Without a certificate it offers no TLS. */
export async function startMailSink(options: SMTPServerOptions = {}): Promise<MailSink> {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    closeTimeout: 100,
    ...(options.key === undefined && { disabledCommands: ['STARTTLS'] }),
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        callbackify(receivedMail)(session, Buffer.concat(chunks), (error, mail) => {
          if (!error) received.push(mail);
          done(error, 'kept');
        });
      });
    },
    ...options,
  });
  server.on('error', () => undefined);
  const port = await listenOnFreePort(server.server);
  return { port, received, close: () => new Promise((resolve) => server.close(() => resolve())) };
}

async function receivedMail({ envelope, secure, user }: SMTPServerSession, raw: Buffer): Promise<ReceivedMail> {
  const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
  const to = envelope.rcptTo.map(({ address }) => address);
  return { from, to, secure, user, raw: raw.toString(), mail: await simpleParser(raw) };
}

export const SMTP_PHASES = ['greeting', 'EHLO', 'STARTTLS', 'AUTH', 'MAIL', 'RCPT', 'DATA', 'message'] as const;
export type SmtpPhase = (typeof SMTP_PHASES)[number];

const REPLY_OF_PHASE: Record<SmtpPhase, string> = {
  greeting: '220 ready',
  EHLO: '250-test\r\n250 AUTH PLAIN',
  STARTTLS: '220 go ahead',
  AUTH: '235 welcome',
  MAIL: '250 sender kept',
  RCPT: '250 recipient kept',
  DATA: '354 go ahead',
  message: '250 kept',
};

export interface ScriptedServer {
  port: number;
  /** The numbers of connections, and of messages that the server received completely. */
  seen: { connections: number; messages: number };
  /** Resolves when the server misbehaves for the first time. */
  wentWrong: Promise<unknown>;
  /** Called for each line of a message. */
  onLine?: () => void;
  close(): void;
}

/**
 * For tests: a server that follows a script. `at` is the phase in which it misbehaves: it stalls, closes the
 * connection, or sends another reply. It does so on its first `times` connections, and behaves well on later ones.
 */
export async function startScriptedServer(
  at: SmtpPhase,
  wrong: 'stalls' | 'dies' | { replies: string },
  { times = Infinity } = {},
): Promise<ScriptedServer> {
  const seen = { connections: 0, messages: 0 };
  const sockets = new Set<Socket>();
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  const events = new EventEmitter();
  const scripted: ScriptedServer = { port: 0, seen, wentWrong: once(events, 'wrong'), close };
  const server = createServer((socket) => {
    seen.connections += 1;
    const isFaulty = seen.connections <= times;
    sockets.add(socket);
    socket.on('error', () => undefined);
    const reach = (phase: SmtpPhase): void => {
      const isWrong = phase === at && isFaulty;
      if (isWrong) events.emit('wrong');
      if (isWrong && wrong === 'stalls') return;
      if (isWrong && wrong === 'dies') return void socket.destroy();
      const reply = isWrong && typeof wrong === 'object' ? wrong.replies : REPLY_OF_PHASE[phase];
      const offer = phase === 'EHLO' && at === 'STARTTLS' ? '250-STARTTLS\r\n' : '';
      socket.write(`${offer}${reply}\r\n`);
    };
    let inMessage = false;
    let rest = '';
    socket.on('data', (chunk: Buffer) => {
      rest += chunk.toString();
      const lines = rest.split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (inMessage) {
          scripted.onLine?.();
          if (line !== '.') continue;
          inMessage = false;
          seen.messages += 1;
          reach('message');
          continue;
        }
        const phase = SMTP_PHASES.find((known) => line.toUpperCase().startsWith(known));
        if (phase) reach(phase);
        inMessage = phase === 'DATA';
      }
    });
    reach('greeting');
  });
  scripted.port = await listenOnFreePort(server);
  return scripted;
}
