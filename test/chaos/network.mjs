import { execFile } from 'node:child_process';
import { readlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import servers from '../../scripts/lib/servers.cjs';
import { LoopbackNetwork } from './loopback.mjs';

const run = promisify(execFile);
const NETWORK = '10.77.0';
const MOST_MACHINES = 20;
const BRIDGE = 'machines';
const ENTER_TIME_LIMIT_MS = 10_000;
/** Everything that a run does with namespaces, once, in a namespace that is gone afterwards. */
const TRIAL = `ip link add trial type bridge && ip link add near type veth peer name far && ip link set near master trial &&
  nsenter --net=/proc/self/ns/net true`;

/**
 * The command that runs a script with a network of its own, which ends with it, and the kind of that network as its first argument:
 * `namespaces`, or `loopback` where this user or kernel cannot make network namespaces.
 */
export async function inOwnNetwork(script, args = []) {
  const kind = (await canMakeNamespaces()) ? 'namespaces' : 'loopback';
  const command = [process.execPath, script, kind, ...args];
  if (kind === 'namespaces') command.unshift('unshare', '--net');
  return { kind, command: command[0], args: command.slice(1) };
}

async function canMakeNamespaces() {
  try {
    await run('unshare', ['--net', 'sh', '-c', TRIAL]);
    return true;
  } catch {
    return false;
  }
}

/** The network of that kind, in a script that was started so. */
export function openNetwork(kind) {
  return kind === 'namespaces' ? NamespaceNetwork.open() : new LoopbackNetwork();
}

/**
 * A network of machines: a bridge between this process, at the address `host`, and network namespaces. This process itself must have
 * been started in a namespace of its own (`unshare --net`), so that the network of the computer never changes. No namespace has a
 * name: the kernel removes each, and what joins them, with its last process, even after kill -9.
 */
class NamespaceNetwork {
  host = addressOf(1);
  #machines = [];

  static async open() {
    await runIpCommands(`
      link set lo up
      link add ${BRIDGE} address ${hardwareAddressOf(1)} type bridge
      address add ${addressOf(1)}/24 dev ${BRIDGE}
      link set ${BRIDGE} up
      ${neighboursOf(1, BRIDGE)}`);
    return new NamespaceNetwork();
  }

  /** Adds a machine, which programs enter. */
  async addMachine() {
    const machine = await NamespaceMachine.start(this.#machines.length + 2);
    this.#machines.push(machine);
    return machine;
  }

  async stop() {
    await Promise.all(this.#machines.map((machine) => machine.stop()));
  }
}

class NamespaceMachine {
  #holder;
  #port;

  /** `number` is the last part of its address. */
  static async start(number) {
    const machine = new NamespaceMachine();
    machine.host = addressOf(number);
    machine.#port = `port${number}`;
    // A program that is killed and started again finds the same network, because this process keeps it.
    machine.#holder = await servers.startChild({ command: 'unshare', args: ['--net', 'sleep', 'infinity'] });
    const { pid } = machine.#holder;
    await untilApart(pid);
    await runIpCommands(`
      link add ${machine.#port} type veth peer name eth0 address ${hardwareAddressOf(number)} netns ${pid}
      link set ${machine.#port} master ${BRIDGE} up`);
    await runIpCommands(
      `
      link set lo up
      address add ${machine.host}/24 dev eth0
      link set eth0 up
      ${neighboursOf(number, 'eth0')}`,
      machine.#inside('ip'),
    );
    return machine;
  }

  /** The program (`{ command, args, account }`) as one that runs on this machine, with the same process id. */
  enter({ command, args, account: { uid, gid } = {} }) {
    const as = uid === undefined ? [] : ['--setuid', String(uid), '--setgid', String(gid)];
    const [nsenter, ...inside] = this.#inside(command, as);
    return { command: nsenter, args: [...inside, ...args] };
  }

  /** Where one reaches the port of this machine, and this machine that of another. */
  async wayTo(host, port) {
    return { host, port };
  }

  /** From now on the bridge neither takes the packets of this machine nor gives it any. No address answers for it. */
  async cut() {
    await runIpCommands(`link set ${this.#port} nomaster`);
  }

  async mend() {
    await runIpCommands(`link set ${this.#port} master ${BRIDGE}`);
  }

  async stop() {
    await this.#holder.stop();
  }

  #inside(command, options = []) {
    return ['nsenter', `--net=/proc/${this.#holder.pid}/ns/net`, ...options, '--', command];
  }
}

const addressOf = (number) => `${NETWORK}.${number}`;
const hardwareAddressOf = (number) => `02:00:00:00:00:${number.toString(16).padStart(2, '0')}`;

/**
 * The hardware addresses of all others, as `ip` reads them. Without them the kernel would report that a cut-off machine has not been found
 * (EHOSTUNREACH), which it cannot notice beyond a router.
 */
function neighboursOf(number, device) {
  return Array.from({ length: MOST_MACHINES }, (_, index) => index + 1)
    .filter((other) => other !== number)
    .map((other) => `neighbour add ${addressOf(other)} lladdr ${hardwareAddressOf(other)} dev ${device} nud permanent`)
    .join('\n');
}

/** Has the program `ip` run these commands, one a line; `program` may start it inside a machine. */
async function runIpCommands(commands, program = ['ip']) {
  const [command, ...args] = program;
  const running = run(command, [...args, '-batch', '-']);
  running.child.stdin.end(`${commands}\n`);
  await running;
}

/** Resolves when the process has a network namespace of its own. */
async function untilApart(pid) {
  const deadline = Date.now() + ENTER_TIME_LIMIT_MS;
  const own = await readlink('/proc/self/ns/net');
  while ((await readlink(`/proc/${pid}/ns/net`)) === own) {
    if (Date.now() > deadline) throw new Error('A network namespace could not be made');
    await new Promise((done) => setTimeout(done, 20));
  }
}
