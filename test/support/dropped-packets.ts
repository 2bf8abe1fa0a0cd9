import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openBlackHole, type BlackHole } from './black-hole';

/** A proxy to a server that can drop the packets of clients, as a lossy network does. */
export interface LossyProxy extends Pick<BlackHole, 'url' | 'close'> {
  /** From now on the packets of clients are dropped: the kernel acknowledges none and answers no new connection. */
  dropBytes(): Promise<void>;
  /** From now on packets arrive, also on open connections: the kernel of the client sends again what was dropped. */
  restore(): Promise<void>;
}

/** The program that forwards connections to the server and drops their packets by a filter of the kernel; its first lines say how. */
const FORWARDER = join(__dirname, 'dropped-packets.pl');

/**
 * Opens the proxy. Without Perl or without Linux it is a black hole instead, whose kernel acknowledges the bytes that vanish, and whose open
 * connections stay dead after `restore`.
 */
export async function openLossyProxy(serverUrl: string): Promise<LossyProxy> {
  if (process.platform !== 'linux' || spawnSync('perl', ['-v']).error) {
    const hole = await openBlackHole(serverUrl);
    const { url, close } = hole;
    return { url, close, dropBytes: async () => hole.dropBytes(), restore: async () => hole.restore() };
  }
  const url = new URL(serverUrl);
  const forwarder = spawn('perl', [FORWARDER, url.hostname, url.port], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(forwarder, 'close');
  const lines = createInterface(forwarder.stdout)[Symbol.asyncIterator]();
  const port = await lines.next();
  if (port.done) throw new Error('The forwarder has ended');
  [url.hostname, url.port] = ['127.0.0.1', port.value];
  const command = async (letter: 'd' | 'k') => {
    forwarder.stdin.write(letter);
    await lines.next();
  };
  return {
    url: url.href,
    dropBytes: () => command('d'),
    restore: () => command('k'),
    async close() {
      forwarder.kill('SIGKILL');
      await ended;
    },
  };
}
