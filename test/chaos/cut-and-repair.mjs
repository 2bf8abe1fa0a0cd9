// A part of chaos-network.test.ts: prints as JSON which bytes arrive while a machine is cut off, and which arrive afterwards.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import servers from '../../scripts/lib/servers.cjs';
import { commandInOwnNetwork, openNetwork } from './network.mjs';

const ECHO = `require('node:net').createServer((socket) => socket.pipe(socket)).listen(...process.argv.slice(1).toReversed())`;
const [kind] = process.argv.slice(2);
if (kind === undefined) {
  const { kind: _, ...command } = await commandInOwnNetwork(fileURLToPath(import.meta.url));
  const child = await servers.startChild({ ...command, inherit: true });
  // Keeps this process alive; the child process alone does not.
  const keepAliveTimer = setInterval(() => {}, 60_000);
  const { code } = await child.exited;
  clearInterval(keepAliveTimer);
  process.exitCode = code ?? 1;
} else {
  const network = await openNetwork(kind);
  const machine = await network.addMachine();
  const port = await servers.freePort();
  const program = machine.enter({ command: process.execPath, args: ['-e', ECHO, machine.host, String(port)] });
  const echo = await servers.startChild({ ...program, inherit: true });
  (await connectWhenListening({ host: machine.host, port })).destroy();
  const socket = await connectWhenListening(await machine.endpointFor(machine.host, port));
  const received = [];
  socket.on('data', (bytes) => received.push(String(bytes)));
  await machine.cut();
  const before = await countRetransmitted();
  socket.write('text');
  while ((await countRetransmitted()) === before) await tick();
  const whileCut = received.join('');
  await machine.repair();
  while (received.length === 0) await tick();
  console.log(JSON.stringify({ kind, whileCut, repaired: received.join('') }));
  socket.destroy();
  await echo.stop();
  await network.stop();
}

/** Connects; tries again until the server listens. */
async function connectWhenListening({ host, port }) {
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
async function countRetransmitted() {
  const [names, values] = (await readFile('/proc/net/snmp', 'utf8'))
    .match(/^Tcp: .*$/gm)
    .map((line) => line.split(' '));
  return Number(values[names.indexOf('RetransSegs')]);
}

function tick() {
  return new Promise((done) => setTimeout(done, 10));
}
