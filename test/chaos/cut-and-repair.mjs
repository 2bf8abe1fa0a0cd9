// A part of chaos-network.test.ts: prints as JSON which bytes arrive while a machine is cut off, and which arrive afterwards.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import servers from '../../scripts/lib/servers.cjs';
import { inOwnNetwork, openNetwork } from './network.mjs';

const ECHO = `require('node:net').createServer((socket) => socket.pipe(socket)).listen(...process.argv.slice(1).toReversed())`;
const [kind] = process.argv.slice(2);
if (kind === undefined) {
  const { kind: _, ...command } = await inOwnNetwork(fileURLToPath(import.meta.url));
  const child = await servers.startChild({ ...command, inherit: true });
  const awake = setInterval(() => {}, 60_000);
  const { code } = await child.exited;
  clearInterval(awake);
  process.exitCode = code ?? 1;
} else {
  const network = await openNetwork(kind);
  const machine = await network.addMachine();
  const port = await servers.freePort();
  const program = machine.enter({ command: process.execPath, args: ['-e', ECHO, machine.host, String(port)] });
  const echo = await servers.startChild({ ...program, inherit: true });
  (await connected({ host: machine.host, port })).destroy();
  const socket = await connected(await machine.endpointFor(machine.host, port));
  const received = [];
  socket.on('data', (bytes) => received.push(String(bytes)));
  await machine.cut();
  const lost = await countLost();
  socket.write('text');
  while ((await countLost()) === lost) await tick();
  const whileCut = received.join('');
  await machine.repair();
  while (received.length === 0) await tick();
  console.log(JSON.stringify({ kind, whileCut, repaired: received.join('') }));
  socket.destroy();
  await echo.stop();
  await network.stop();
}

/** Tries until the server listens. */
async function connected({ host, port }) {
  for (;;) {
    const socket = connect(port, host);
    try {
      await once(socket, 'connect');
      return socket;
    } catch {
      await tick();
    }
  }
}

/** The number of packets that the kernel has retransmitted in this network. */
async function countLost() {
  const [names, values] = (await readFile('/proc/net/snmp', 'utf8'))
    .match(/^Tcp: .*$/gm)
    .map((line) => line.split(' '));
  return Number(values[names.indexOf('RetransSegs')]);
}

function tick() {
  return new Promise((done) => setTimeout(done, 10));
}
