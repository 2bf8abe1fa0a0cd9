import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from '../../scripts/lib/find-servers.cjs';

const FORWARDER = join(ROOT, 'test', 'support', 'dropped-packets.pl');

/** Opens a proxy to a port of the loopback that can drop the packets of its clients. */
export async function openLossyProxy(port) {
  const forwarder = spawn('perl', [FORWARDER, '127.0.0.1', String(port)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(forwarder, 'close');
  const lines = createInterface(forwarder.stdout)[Symbol.asyncIterator]();
  const { value } = await lines.next();
  const command = async (letter) => {
    forwarder.stdin.write(letter);
    await lines.next();
  };
  return {
    port: Number(value),
    cut: () => command('d'),
    repair: () => command('k'),
    async stop() {
      forwarder.kill('SIGKILL');
      await ended;
    },
  };
}
