import { openStore } from '@batuta/database';
import { privateAuthority } from '../../apps/agent/test/test-certificate';
import { startTestMariadb } from '../support/servers';

test('while the certificate of the database is refused, calls are UNAVAILABLE, and the reason is reported', async () => {
  const authority = privateAuthority('authority of the database');
  const wanted = { certificate: authority.issue() };
  const mariadb = await startTestMariadb(wanted);
  const url = new URL(mariadb.url);
  url.searchParams.set('ssl', JSON.stringify({ ca: authority.cert }));
  const store = await openStore({ url: url.href, pool: 1 });
  const tlsFailed = jest.fn();
  store.watchPool({ waited: () => {}, refused: () => {}, passwordRefused: () => {}, tlsFailed });
  await mariadb.kill();
  wanted.certificate = privateAuthority('another authority').issue();
  await mariadb.startAgain();
  // The first call may still find the connection to the server that was killed.
  await store.ping().catch(() => undefined);
  await expect(store.ping()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(tlsFailed).toHaveBeenCalledWith(expect.objectContaining({ code: 'HANDSHAKE_SSL_ERROR' }));
  await store.close();
  await mariadb.stop();
});
