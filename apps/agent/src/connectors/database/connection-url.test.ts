import { readConnection } from './connection-url';
import { loadDriver } from './load-driver';

test.each<[string, object]>([
  [
    'mysql://ana:p%40ss@db.example/erp',
    { dialect: 'mysql', host: 'db.example', port: 3306, user: 'ana', password: 'p@ss', database: 'erp', tls: 'off' },
  ],
  ['mariadb://a:b@h:3307/d?tls=verify', { dialect: 'mysql', port: 3307, tls: 'verify' }],
  ['postgres://a:b@[::1]/d?tls=unverified', { dialect: 'postgres', host: '::1', port: 5432, tls: 'unverified' }],
  ['postgresql://a:b@h/d?sslmode=require', { dialect: 'postgres', tls: 'unverified' }],
  ['postgres://a:b@h/d?sslmode=verify-full', { tls: 'verify' }],
  [' mssql://a:b@h/d ', { dialect: 'mssql', port: 1433, database: 'd' }],
  ['mssql://h', { user: '', password: '', database: '' }],
])('the connection URL %s is read', (text, target) => {
  expect(readConnection(text)).toMatchObject(target);
});

test.each<[string, RegExp]>([
  ['', /must be a URL such as mysql:/],
  ['server=h;password=hunter2', /must be a URL/],
  ['oracle://a:hunter2@h/d', /must be a URL/],
  ['mysql:///hunter2', /must be a URL/],
  ['mysql://a:hunter2@h/d?ssl=true', /the parameter "ssl"; only "tls" and "sslmode" are known/],
  ['mysql://a:hunter2@h/d?tls=hunter2', /parameter "tls" must be off, unverified, verify/],
  ['mysql://a:12?hunter2@h/d', /special characters .* must be percent-encoded/],
  ['mysql://a:12/hunter2@h/d', /special characters .* must be percent-encoded/],
  ['mysql://a:12#hunter2@h/d', /special characters .* must be percent-encoded/],
  ['mysql://a:hunter2%@h/d', /the password in the connection has a % that is not written as %25/],
])('the connection %s is refused with a message that does not quote it', (text, reason) => {
  const refusal = () => readConnection(text);
  expect(refusal).toThrow(reason);
  expect(refusal).not.toThrow(/hunter2/);
});

test('on a machine without the package of a driver the step fails and names it', async () => {
  const missing = () => Promise.reject(Object.assign(new Error('x'), { code: 'ERR_MODULE_NOT_FOUND' }));
  await expect(loadDriver('postgres', missing)).rejects.toThrow(
    "the agent's machine lacks the package pg, which this connection needs: install it beside the agent (npm install pg)",
  );
});
