import { createServer } from 'node:net';
import { listenOnFreePort } from '../../../test/support/web-server';
import { openTunnel } from './proxy-tunnel';

test('a tunnel has the bytes of the host that come in one packet with the answer of the proxy', async () => {
  const proxy = createServer((socket) => {
    socket.once('data', () => socket.end('HTTP/1.1 200 Connected\r\n\r\n220 ready\r\n'));
  });
  const tunnel = await openTunnel(`http://127.0.0.1:${await listenOnFreePort(proxy)}`, 'mail.example:25');
  try {
    let text = '';
    for await (const bytes of tunnel) text += String(bytes);
    expect(text).toBe('220 ready\r\n');
  } finally {
    tunnel.destroy();
    proxy.close();
  }
});
