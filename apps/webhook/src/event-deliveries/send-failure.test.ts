import { reasonOf } from './send-failure';

const failedFetch = (cause: unknown) => new TypeError('fetch failed', { cause });
const errorOf = (code: string, message = `10.0.0.1:443 ${code}`) => Object.assign(new Error(message), { code });

test.each([
  ['no connection: ECONNREFUSED', failedFetch(errorOf('ECONNREFUSED'))],
  ['no connection: ENOTFOUND', failedFetch(errorOf('ENOTFOUND'))],
  ['no connection: ETIMEDOUT', failedFetch(new AggregateError([errorOf('ETIMEDOUT'), errorOf('ENETUNREACH')]))],
  ['no connection: CERT_HAS_EXPIRED', failedFetch(errorOf('CERT_HAS_EXPIRED'))],
  ['the connection was cut before an answer: UND_ERR_SOCKET', failedFetch(errorOf('UND_ERR_SOCKET'))],
  ['the connection was cut before an answer: ECONNRESET', failedFetch(errorOf('ECONNRESET'))],
  ['the connection was cut before an answer: EPIPE', failedFetch(errorOf('EPIPE'))],
  [
    'the address sent 100 Continue, for which the message did not ask',
    failedFetch(errorOf('UND_ERR_SOCKET', 'bad response')),
  ],
  [
    'the address switched to another protocol, for which the message did not ask',
    failedFetch(errorOf('UND_ERR_SOCKET', 'bad upgrade')),
  ],
  ['the request failed', failedFetch(new Error('10.0.0.1:443'))],
  ['the request failed', 'no error'],
])('the reason "%s" names how far a request came, and no address', (reason, error) => {
  expect(reasonOf(error)).toBe(reason);
});
