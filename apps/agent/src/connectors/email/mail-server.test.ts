import { readMailServer } from './mail-server';

const LOGIN = { user: 'ana', pass: 's/e?c#r@t' };
test.each([
  [
    'smtp://ana:s%2Fe%3Fc%23r%40t@mail.example',
    { host: 'mail.example', port: 587, encryption: 'required', auth: LOGIN },
  ],
  ['smtps://mail.example', { host: 'mail.example', port: 465, encryption: 'implicit' }],
  ['smtps://mail.example:4650/', { host: 'mail.example', port: 4650, encryption: 'implicit' }],
  ['smtp://mail.example:25?starttls=optional', { host: 'mail.example', port: 25, encryption: 'optional' }],
  ['smtp://mail.example?starttls=never', { host: 'mail.example', port: 587, encryption: 'never' }],
  ['smtp://LocalHost:25', { host: 'LocalHost', port: 25, encryption: 'optional' }],
  ['smtp://127.0.0.9:25', { host: '127.0.0.9', port: 25, encryption: 'optional' }],
  ['smtp://127.example:25', { host: '127.example', port: 25, encryption: 'required' }],
  ['smtp://[::1]:25', { host: '::1', port: 25, encryption: 'optional' }],
  ['smtp://localhost?starttls=required', { host: 'localhost', port: 587, encryption: 'required' }],
])('the server %s is read', (text, server) => {
  expect(readMailServer(text)).toEqual(server);
});

test.each([
  ['no address', 'mail.example', /must have the form smtp:/],
  ['another protocol', 'http://ana:hunter2@mail.example', /must have the form smtp:/],
  ['a password with a slash', 'smtp://ana:hunter2/x@mail.example', /percent-encoded/],
  ['a password with a #', 'smtp://ana:hunter2#x@mail.example', /percent-encoded/],
  ['a password with a lone %', 'smtp://ana:hunter2%@mail.example', /write %25/],
  ['a user without a password', 'smtp://hunter2@mail.example', /both a user and a password/],
  ['a misspelled parameter', 'smtp://mail.example?startls=hunter2', /the only one is starttls/],
  ['another value of starttls', 'smtp://mail.example?starttls=hunter2', /one of required, optional, never/],
  ['starttls after TLS', 'smtps://mail.example?starttls=never', /no place in an smtps address/],
])('a server with %s is refused, and the message quotes nothing of it', (_rule, text, message) => {
  expect(() => readMailServer(text)).toThrow(message);
  expect(() => readMailServer(text)).not.toThrow(/hunter2/);
});
