import { execFile } from 'node:child_process';
import { readlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import servers from '../../scripts/lib/servers.cjs';
import { LoopbackNetwork } from './loopback.mjs';

const run = promisify(execFile);
const NETWORK = '10.77.0';
/** The number of addresses for which each machine gets fixed hardware addresses; a run uses fewer. */
const MAX_MACHINES = 20;
const BRIDGE = 'machines';
const ENTER_TIME_LIMIT_MS = 10_000;
/** Every kind of operation that a run needs for its namespaces, tried in a namespace that is gone afterwards. */
const NAMESPACE_CHECK = `ip link add trial type bridge && ip link add near type veth peer name far && ip link set near master trial &&
  nsenter --net=/proc/self/ns/net true`;

/**
 * The command that runs a script with a network of its own, which ends with it, and the kind of that network as its first argument:
 * `namespaces`, or `loopback` where this user or kernel cannot make network namespaces.
 */
export async function commandInOwnNetwork(script, args = []) {
  const kind = (await canMakeNamespaces()) ? 'namespaces' : 'loopback';
  const command = [process.execPath, script, kind, ...args];
  if (kind === 'namespaces') command.unshift('unshare', '--net');
  return { kind, command: command[0], args: command.slice(1) };
}

async function canMakeNamespaces() {
  try {
    await run('unshare', ['--net', 'sh', '-c', NAMESPACE_CHECK]);
    return true;
  } catch {
    return false;
  }
}

/**
 * Opens the network of this kind. Call it in a script that was started by the command from `commandInOwnNetwork`, with the kind that this
 * script got as its first argument.
 */
export function openNetwork(kind) {
  return kind === 'namespaces' ? NamespaceNetwork.open() : new LoopbackNetwork();
}

/**
 * A network of machines. Each machine is a network namespace, and a bridge joins it with this OS process, which has the address `host`. This
 * OS process must itself run in a namespace of its own (`unshare --net`), so that the network of the computer never changes. The namespaces
 * have no names: the kernel removes a namespace and its links when its last process ends, even after kill -9.
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

  /** Adds a machine, on which programs can be started. */
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

  /** Starts a machine; `number` is the last part of its address. */
  static async start(number) {
    const machine = new NamespaceMachine();
    machine.host = addressOf(number);
    machine.#port = `port${number}`;
    // This child keeps the namespace alive, so that a program which is killed and started again finds the same network.
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

  /** Turns a program (`{ command, args, account }`) into one that runs on this machine; the program itself has the id of the started process. */
  enter({ command, args, account: { uid, gid } = {} }) {
    const as = uid === undefined ? [] : ['--setuid', String(uid), '--setgid', String(gid)];
    const [nsenter, ...inside] = this.#inside(command, as);
    return { command: nsenter, args: [...inside, ...args] };
  }

  /** The address of a port, for connections from or to this machine: here the port itself, without a proxy. */
  async endpointFor(host, port) {
    return { host, port };
  }

  /** From now on the bridge forwards no packets from or to this machine, and nothing answers at its address. */
  async cut() {
    await runIpCommands(`link set ${this.#port} nomaster`);
  }

  async repair() {
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
 * Commands for `ip` that fix the hardware addresses of all other machines. Without them the kernel would report a cut-off machine as
 * unreachable (EHOSTUNREACH), which it cannot know of a machine beyond a router.
 */
function neighboursOf(number, device) {
  return Array.from({ length: MAX_MACHINES }, (_, index) => index + 1)
    .filter((other) => other !== number)
    .map((other) => `neighbour add ${addressOf(other)} lladdr ${hardwareAddressOf(other)} dev ${device} nud permanent`)
    .join('\n');
}

/** Runs the program `ip` with these commands, one on each line; `program` may be a command that runs it inside a machine. */
async function runIpCommands(commands, program = ['ip']) {
  const [command, ...args] = program;
  const running = run(command, [...args, '-batch', '-']);
  running.child.stdin.end(`${commands}\n`);
  await running;
}

/** Resolves when the OS process `pid` has left the network namespace of this one. */
async function untilApart(pid) {
  const deadline = Date.now() + ENTER_TIME_LIMIT_MS;
  const own = await readlink('/proc/self/ns/net');
  while ((await readlink(`/proc/${pid}/ns/net`)) === own) {
    if (Date.now() > deadline) throw new Error('A network namespace could not be made');
    await new Promise((done) => setTimeout(done, 20));
  }
}
