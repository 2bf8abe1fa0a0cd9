import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { isNativeError } from 'node:util/types';
import type { NodemailerError } from 'nodemailer';
import SMTPConnection, { type SMTPEnvelope } from 'nodemailer/lib/smtp-connection';
import { StepError } from '../../step-error';
import type { HostAccess } from '../../network/host-access';
import { faultOf } from '../fault';
import { TransientError } from '../retries';
import type { MailServer } from './mail-server';

/** A message as it goes over the wire, with the addresses of its envelope. */
export interface EncodedMessage {
  envelope: SMTPEnvelope;
  bytes: Buffer;
}

/** The mail server took the message for `accepted`, at least one recipient, and for nobody else. */
export interface DeliveryOutcome {
  accepted: string[];
  rejected: string[];
  /** The server's reply for each rejected recipient. */
  reasons: string[];
  /** The server's reply to the message. */
  response: string;
}

/** No recipient was accepted, and no refusal is temporary; `rejected` has all of them. */
export class NoRecipientPermanentError extends StepError {
  constructor(
    message: string,
    status: number | null,
    readonly rejected: string[],
  ) {
    super(message, status);
  }
}

/**
 * No recipient was accepted, and the refusal of at least one is temporary (SMTP 4yz), so the step may be retried; `rejected` has all of
 * them.
 */
export class NoRecipientTemporaryError extends TransientError {
  constructor(
    message: string,
    status: number | null,
    readonly rejected: string[],
  ) {
    super(message, status);
  }
}

const CHUNK_BYTES = 64 * 1024;
/** Time limit of the SMTP command QUIT after a delivery. */
const QUIT_TIME_LIMIT_MS = 1_000;
/** Longest server reply that is read; replies are quoted in error messages. */
const MAX_REPLY_BYTES = 16 * 1024;

/**
 * One attempt over one connection to a mail server. It records its phase, because only a failure before the server got
 * the message may be repeated.
 */
export class DeliveryAttempt {
  private phase = 'while connecting';
  private handedOver = false;
  private delivered = false;
  private connection: SMTPConnection | undefined;
  private socket: Socket | undefined;

  constructor(
    private readonly server: MailServer,
    private readonly message: EncodedMessage,
    private readonly hostAccess: HostAccess,
  ) {}

  /**
   * Rejects with the error of nodemailer or of the socket; `failureOf` makes a StepError of it. The caller enforces the time limit and then
   * calls `close`.
   */
  async deliver(timeLimitMs: number): Promise<DeliveryOutcome> {
    const { host, port, encryption, auth } = this.server;
    const connection = new SMTPConnection({
      connection: await this.open(),
      host,
      port,
      secure: encryption === 'implicit',
      requireTLS: encryption === 'required',
      ignoreTLS: encryption === 'never',
      // The time limits of nodemailer never apply, because the attempt has one time limit for all of its phases.
      connectionTimeout: 2 * timeLimitMs,
      greetingTimeout: 2 * timeLimitMs,
      socketTimeout: 2 * timeLimitMs,
      // An abandoned connection is closed at once, so that the rest of a message is not sent.
      socketCloseTimeout: 0,
      maxResponseSize: MAX_REPLY_BYTES,
    });
    this.connection = connection;
    const broken = rejectionOf((reject) => {
      // This listener stays registered: an error event without a listener would end the process.
      connection.on('error', reject);
      // Deferred to the next turn of the event loop, because the failure of a command, which says more, arrives after
      // this event.
      connection.on('end', () => setImmediate(() => reject(closedConnection())));
    });
    const steps = async () => {
      await promisify(connection.connect.bind(connection))();
      if (auth) await this.login(connection, auth);
      this.phase = 'while taking the envelope';
      const { bytes, envelope } = this.message;
      const stream = Readable.from(this.chunks(), { objectMode: false });
      return promisify(connection.send.bind(connection))({ ...envelope, size: bytes.length }, stream);
    };
    const info = await Promise.race([steps(), broken]);
    this.quit(connection);
    const reasons = (info.rejectedErrors ?? []).map(({ recipient, response }) => `${recipient}: ${response}`);
    return { accepted: info.accepted, rejected: info.rejected, reasons, response: info.response };
  }

  /** Closes the connection, unless it is sending QUIT after a delivery. */
  close(): void {
    if (this.delivered) return;
    this.connection?.close();
    // The attempt has ended and no code awaits the name lookup, so its error is ignored.
    this.socket?.on('error', () => undefined).destroy();
  }

  /** The failure of this attempt for an error of `deliver`: TransientError where a retry may help and sends no message twice, else StepError. */
  failureOf(error: unknown): StepError {
    if (error instanceof StepError) return error;
    const { message, responseCode, rejected }: NodemailerError = isNativeError(error) ? error : new Error('failed');
    const status = responseCode ?? null;
    const AllRefused = isTemporary(status) ? NoRecipientTemporaryError : NoRecipientPermanentError;
    if (rejected) return new AllRefused(`${this.name}: ${message}`, status, rejected);
    if (status !== null) return this.failure(`: ${message}`, status, isTemporary(status));
    const fault = faultOf(error);
    return this.failure(`: ${fault.reason}`, null, fault.isTemporary);
  }

  /** `what` is `: <reason>`, or words to which the phase is added. `mayPass`: a retry may help, unless the message was handed over. */
  failure(what: string, status: number | null = null, mayPass = true): StepError {
    const text = what.startsWith(':') ? `${this.name}${what}` : `${this.name} ${what} ${this.phase}`;
    if (!this.handedOver) return mayPass ? new TransientError(text, status) : new StepError(text, status);
    // An error reply means that the server did not take the message. Without a reply nobody knows whether it did.
    if (status !== null) return new StepError(text, status);
    return new StepError(`${text}; the server may have accepted the message, so it is not sent again`);
  }

  /**
   * Opens the socket here, because nodemailer would resolve the name itself, past the host rules and the machine's
   * hosts file.
   */
  private async open(): Promise<Socket> {
    const { host, port } = this.server;
    this.socket = this.hostAccess.openSocket(host, port);
    await once(this.socket, 'connect');
    return this.socket;
  }

  private quit(connection: SMTPConnection): void {
    this.delivered = true;
    connection.quit();
    setTimeout(() => connection.close(), QUIT_TIME_LIMIT_MS).unref();
  }

  private get name(): string {
    return `mail server ${this.server.host}:${this.server.port}`;
  }

  private async login(connection: SMTPConnection, auth: { user: string; pass: string }): Promise<void> {
    this.phase = 'during the login';
    // Without this check nodemailer would send the password to a server that did not offer a login.
    if (!connection.allowsAuth) throw new StepError(`${this.name} offers no login, but its address has a user`);
    await promisify(connection.login.bind(connection))({ credentials: auth });
  }

  /** The message in chunks; a generator, so that it is read only after the server has asked for it. */
  private *chunks(): Generator<Buffer> {
    this.handedOver = true;
    this.phase = 'after the message was handed over';
    const { bytes } = this.message;
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
  }
}

function closedConnection(): Error {
  return Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' });
}

function isTemporary(status: number | null): boolean {
  return status !== null && status >= 400 && status < 500;
}

/** A promise that never resolves and may reject. A rejection after the attempt has ended is ignored. */
export function rejectionOf(register: (reject: (error: Error) => void) => void): Promise<never> {
  const promise = new Promise<never>((_resolve, reject) => register(reject));
  promise.catch(() => undefined);
  return promise;
}
