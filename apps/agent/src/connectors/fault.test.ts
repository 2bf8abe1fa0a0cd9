import { faultOf } from './fault';

const errorWith = (properties: object, message = 'the words of the system') =>
  Object.assign(new Error(message), properties);

test.each<[string, string, boolean]>([
  ['ECONNREFUSED', 'the words of the system', true],
  ['ECONNRESET', 'the words of the system', true],
  ['ETIMEDOUT', 'the words of the system', true],
  ['UND_ERR_SOCKET', 'the connection was closed before the answer was complete', true],
  ['EAI_AGAIN', 'no name server says which address the name "erp.example" has (EAI_AGAIN)', true],
  ['ENOTFOUND', 'the name "erp.example" has no address (ENOTFOUND)', false],
  ['CERT_HAS_EXPIRED', 'the words of the system', false],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'the words of the system', false],
  [
    'SELF_SIGNED_CERT_IN_CHAIN',
    'the certificate is not trusted (SELF_SIGNED_CERT_IN_CHAIN); --ca-file of the agent adds the authorities to trust',
    false,
  ],
  ['UND_ERR_INVALID_ARG', 'the words of the system', false],
])('the fault %s says "%s"; temporary: %s', (code, reason, isTemporary) => {
  expect(faultOf(errorWith({ code, hostname: 'erp.example' }))).toEqual({ reason, isTemporary });
});

test('a fault is read from the innermost cause of an error', () => {
  const refused = errorWith({ code: 'ECONNREFUSED' }, 'connect ECONNREFUSED 10.0.0.1:443');
  const failed = new TypeError('fetch failed', { cause: new Error('the connection was not made', { cause: refused }) });
  expect(faultOf(failed)).toEqual({ reason: 'connect ECONNREFUSED 10.0.0.1:443', isTemporary: true });
});

test('the reason of a failure at several addresses, whose error has no message, is its code', () => {
  const attempts = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
  expect(faultOf(attempts)).toEqual({ reason: 'ECONNREFUSED', isTemporary: true });
});

test.each([
  [
    'self-signed certificate; try --use-system-ca',
    'the certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT); --ca-file of the agent adds the authorities to trust',
  ],
  ['certificate has expired', 'certificate has expired'],
  [
    "Hostname/IP does not match certificate's altnames: Host: db. is not in the cert's altnames: DNS:erp.example",
    "Hostname/IP does not match certificate's altnames: Host: db. is not in the cert's altnames: DNS:erp.example",
  ],
  ['unsupported protocol; try --tls-min-v1.0', 'no TLS with this server: unsupported protocol'],
])('the TLS error "%s" of MySQL is told by its words: %s', (message, reason) => {
  expect(faultOf(errorWith({ code: 'HANDSHAKE_SSL_ERROR' }, message))).toEqual({ reason, isTemporary: false });
});

test('a thrown value that is not an error counts as a lasting fault', () => {
  expect(faultOf('nonsense')).toEqual({ reason: 'unknown error', isTemporary: false });
});
