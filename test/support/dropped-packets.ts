import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBlackHole, type BlackHole } from './black-hole';

/** A way to a server that can drop packets. */
export type LossyWay = Omit<BlackHole, 'connections'>;

const PORT = 3306;
/** A hardware address that no interface has, so that the other end of the veth pair drops packets for it. */
const NOBODY = '02:00:00:00:00:00';

/** Runs in the namespace and ends with the process that started it, and the namespace and its interfaces with it. */
const FORWARDER = `
  const { connect, createServer } = require('node:net');
  createServer((near) => {
    const far = connect(process.argv[1]);
    for (const [one, other] of [[near, far], [far, near]]) {
      one.on('error', () => {}).on('close', () => other.destroy()).pipe(other);
    }
  }).listen(${PORT}, '0.0.0.0', () => console.log('ready'));
  process.stdin.on('end', () => process.exit()).resume();`;

/**
 * A network namespace with a forwarder to the server: its packets cross a wire of their own, on which the kernel drops them. A
 * machine that permits no namespace (it takes root, and `ip`, `unshare` and `nsenter`) gets the black hole instead, which
 * swallows bytes.
 */
export async function openLossyWay(serverUrl: string): Promise<LossyWay> {
  const folder = await mkdtemp(join(tmpdir(), 'batuta-wire-'));
  const opened: { exit?: Server; forwarder?: ChildProcess } = {};
  const close = async () => {
    const { exit, forwarder } = opened;
    forwarder?.kill('SIGKILL');
    if (exit) await new Promise((resolve) => exit.close(resolve));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const socket = join(folder, 'server.sock');
    opened.exit = await openExit(socket, new URL(serverUrl));
    opened.forwarder = spawn('unshare', ['--net', process.execPath, '-e', FORWARDER, socket], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    return { ...(await openWire(serverUrl, opened.forwarder)), close };
  } catch {
    await close();
    return openBlackHole(serverUrl);
  }
}

/** File sockets cross namespaces. */
async function openExit(socket: string, { hostname, port }: URL): Promise<Server> {
  const exit = createServer((near) => {
    const far = connect(Number(port), hostname);
    near.on('error', () => undefined).on('close', () => far.destroy());
    far.on('error', () => undefined).on('close', () => near.destroy());
    near.pipe(far);
    far.pipe(near);
  });
  await new Promise<void>((resolve, reject) => exit.once('error', reject).listen(socket, resolve));
  return exit;
}

/** A wire between this namespace and that of the forwarder. */
async function openWire(serverUrl: string, forwarder: ChildProcess): Promise<Omit<LossyWay, 'close'>> {
  if (!forwarder.stdout) throw new Error('The forwarder has no output');
  await Promise.race([
    once(forwarder.stdout, 'data'),
    once(forwarder, 'exit').then(() => Promise.reject(new Error('No namespace is permitted'))),
  ]);
  const name = `bt${randomBytes(5).toString('hex')}`;
  // Addresses that are reserved for tests of networks.
  const network = `198.${randomInt(18, 20)}.${randomInt(256)}.`;
  const first = 4 * randomInt(64);
  const inside = ['nsenter', '-t', String(forwarder.pid), '-n'];
  const near = { device: name, ip: `${network}${first + 1}`, mac: '02:00:00:00:00:01', command: ['ip'] };
  const far = { device: 'wire', ip: `${network}${first + 2}`, mac: '02:00:00:00:00:02', command: [...inside, 'ip'] };
  const ends = ['address', near.mac, 'type', 'veth', 'peer', 'name', far.device, 'address', far.mac];
  run(['ip', 'link', 'add', near.device, ...ends, 'netns', String(forwarder.pid)]);
  for (const { device, ip, command } of [near, far]) {
    run([...command, 'address', 'add', `${ip}/30`, 'dev', device]);
    run([...command, 'link', 'set', device, 'up']);
  }
  const url = new URL(serverUrl);
  [url.hostname, url.port] = [far.ip, String(PORT)];
  const restore = () => {
    send(near, far.ip, far.mac);
    send(far, near.ip, near.mac);
  };
  restore();
  return {
    url: url.href,
    swallow(what = 'everything') {
      send(far, near.ip, NOBODY);
      if (what === 'everything') send(near, far.ip, NOBODY);
    },
    restore,
  };
}

interface End {
  device: string;
  ip: string;
  mac: string;
  /** The command `ip` in the namespace of this end. */
  command: string[];
}

/** From now on this end sends what is for `ip` to the interface `mac`. */
function send({ device, command }: End, ip: string, mac: string): void {
  run([...command, 'neighbour', 'replace', ip, 'lladdr', mac, 'nud', 'permanent', 'dev', device]);
}

function run([program = '', ...args]: string[]): void {
  const PATH = `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`;
  execFileSync(program, args, { env: { ...process.env, PATH }, stdio: 'ignore' });
}
