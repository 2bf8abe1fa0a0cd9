import { isIPv4 } from 'node:net';
import { StepError } from '../../step-error';

/** The server to which messages are delivered, and how the connection to it is encrypted. */
export interface MailServer {
  host: string;
  port: number;
  /** `implicit` = TLS from the first byte; `required` = STARTTLS or failure; `optional` = STARTTLS where the server offers it. */
  encryption: 'implicit' | 'required' | 'optional' | 'never';
  auth?: { user: string; pass: string };
}

const EXPECTED_FORM =
  'server must have the form smtp://user:password@host:587 or smtps://user:password@host:465, with special characters of user and password percent-encoded';
const STARTTLS_VALUES = ['required', 'optional', 'never'] as const;

/**
 * Reads the `server` of an e-mail step. The StepError for an invalid text does not quote it, because it contains a
 * password.
 */
export function readMailServer(text: string): MailServer {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (
    !url ||
    !/^smtps?:$/.test(url.protocol) ||
    url.hostname === '' ||
    !/^\/?$/.test(url.pathname) ||
    url.hash !== ''
  ) {
    throw new StepError(EXPECTED_FORM);
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const implicit = url.protocol === 'smtps:';
  const encryption = encryptionOf(url.searchParams, host, implicit);
  return { host, port: Number(url.port) || (implicit ? 465 : 587), encryption, ...authOf(url) };
}

function encryptionOf(query: URLSearchParams, host: string, implicit: boolean): MailServer['encryption'] {
  const unknown = [...query.keys()].find((key) => key !== 'starttls');
  if (unknown !== undefined) throw new StepError(`server has an unknown parameter; the only one is starttls`);
  const given = query.get('starttls');
  const starttls = STARTTLS_VALUES.find((value) => value === given);
  if (given !== null && (implicit || !starttls)) {
    throw new StepError(
      `starttls in server must be one of ${STARTTLS_VALUES.join(', ')}, and has no place in an smtps address`,
    );
  }
  if (implicit) return 'implicit';
  return starttls ?? (isLoopback(host) ? 'optional' : 'required');
}

/**
 * Loopback needs no encryption, because the bytes do not leave the machine, and a local relay rarely has a certificate.
 */
function isLoopback(host: string): boolean {
  return host.toLowerCase() === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

function authOf({ username, password }: URL): Pick<MailServer, 'auth'> {
  if (username === '' && password === '') return {};
  const [user, pass] = [username, password].map(percentDecoded);
  if (!user || !pass) throw new StepError('server must have both a user and a password, or neither');
  return { auth: { user, pass } };
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new StepError('server has a % in its user or password that is not percent-encoded; write %25');
  }
}
