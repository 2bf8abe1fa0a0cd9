import { ProxyStatusError } from '@batuta/network';

/** Why a connection or a call failed. */
export interface Fault {
  reason: string;
  /** Whether the same attempt may succeed a little later. */
  isTemporary: boolean;
}

interface FaultKind {
  /** The codes of Node, OpenSSL, undici and nodemailer for this kind. */
  codes: RegExp;
  isTemporary: boolean;
  /** Makes the reason, where the owner of the process would not understand the message of the error. */
  reason?: (error: FaultError, code: string) => string;
}

/** The properties of errors of Node, OpenSSL, undici and nodemailer from which a Fault is read. */
interface FaultError {
  message?: string;
  code?: string | number;
  /** The code of the system, in an error whose `code` nodemailer has replaced by one of its own. */
  originalCode?: string | number;
  cause?: unknown;
  hostname?: string;
  /** The words of OpenSSL; its message has the thread and the place in its source around them. */
  reason?: string;
}

/** mysql2 gives every error of TLS this code. */
const MYSQL_TLS_CODE = 'HANDSHAKE_SSL_ERROR';

/** The code that Node gives each certificate error, by the words with which the message of the error begins. */
const CERTIFICATE_CODES = new Map([
  ['self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ['self-signed certificate in certificate chain', 'SELF_SIGNED_CERT_IN_CHAIN'],
  ['unable to get issuer certificate', 'UNABLE_TO_GET_ISSUER_CERT'],
  ['unable to get local issuer certificate', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
  ['unable to verify the first certificate', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ['certificate has expired', 'CERT_HAS_EXPIRED'],
  ['certificate is not yet valid', 'CERT_NOT_YET_VALID'],
  ["Hostname/IP does not match certificate's altnames", 'ERR_TLS_CERT_ALTNAME_INVALID'],
]);

/**
 * The reasons for errors of undici with the code UND_ERR_SOCKET that come from an unexpected answer and not from a closed connection, by
 * message.
 */
const SOCKET_REASONS = new Map<string | undefined, string>([
  ['bad response', 'the server answered 100 Continue, which only a call with the header Expect asks for'],
  ['bad upgrade', 'the server switched to another protocol, for which the call did not ask'],
]);

/** The first kind that has the code of an error counts. An error of no kind, such as that of an invalid header, is not temporary. */
const FAULT_KINDS: FaultKind[] = [
  {
    codes:
      /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|ENETRESET|ECONNECTION|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/,
    isTemporary: true,
  },
  {
    // Z_BUF_ERROR: the end of compressed data is missing.
    codes: /^(UND_ERR_SOCKET|ERR_SSL_UNEXPECTED_EOF_WHILE_READING|Z_BUF_ERROR)$/,
    isTemporary: true,
    reason: ({ message }) => SOCKET_REASONS.get(message) ?? 'the connection was closed before the answer was complete',
  },
  {
    codes: /^EAI_AGAIN$/,
    isTemporary: true,
    reason: ({ hostname }) => `no name server says which address the name "${hostname}" has (EAI_AGAIN)`,
  },
  {
    codes: /^ENOTFOUND$/,
    isTemporary: false,
    reason: ({ hostname }) => `the name "${hostname}" has no address (ENOTFOUND)`,
  },
  { codes: /^(ERR_TLS_CERT_ALTNAME_INVALID|CERT_HAS_EXPIRED|CERT_NOT_YET_VALID)$/, isTemporary: false },
  {
    codes: /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|CERT_\w+|INVALID_CA)$/,
    isTemporary: false,
    reason: (_error, code) =>
      `the certificate is not trusted (${code}); --ca-file of the agent adds the authorities to trust`,
  },
  {
    codes: /^(ERR_SSL_\w+|EPROTO|HANDSHAKE_SSL_ERROR)$/,
    isTemporary: false,
    // Node adds advice about its own options after a semicolon.
    reason: ({ reason, message = '' }) => `no TLS with this server: ${reason ?? message.split('; ', 1).join()}`,
  },
];

/** Reads the fault from an error, or from its innermost cause, which says the most. */
export function faultOf(error: unknown): Fault {
  if (error instanceof ProxyStatusError) return proxyFault(error);
  const found: FaultError = Object(error);
  if (found.cause !== undefined) return faultOf(found.cause);
  const code = codeOf(found);
  const kind = FAULT_KINDS.find(({ codes }) => codes.test(code));
  // An AggregateError, which joins the failed attempts at several addresses, has a code and no message.
  const reason = kind?.reason?.(found, code) || found.message || code || 'unknown error';
  return { reason, isTemporary: kind?.isTemporary ?? false };
}

function codeOf({ code, originalCode, message = '' }: FaultError): string {
  // Node adds details after a colon, and advice about its own options after a semicolon.
  const certificateCode = code === MYSQL_TLS_CODE ? CERTIFICATE_CODES.get(message.split(/[:;] /, 1).join()) : undefined;
  return String(certificateCode ?? originalCode ?? code ?? '');
}

/** Whether a later call may get another answer than this HTTP status. */
export function isTemporaryStatus(status: number): boolean {
  return status === 429 || status >= 500;
}

function proxyFault({ message, status }: ProxyStatusError): Fault {
  const advice =
    status === 407 ? '; the address of the proxy in the settings of the agent needs its user and password' : '';
  return { reason: message + advice, isTemporary: isTemporaryStatus(status) };
}
