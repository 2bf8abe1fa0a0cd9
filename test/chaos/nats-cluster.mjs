import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import servers from '../../scripts/lib/servers.cjs';

const START_TIME_LIMIT_MS = 60_000;

/** Starts a node on each of the machines, with the files of the overlay `production`: users, limits, TLS for clients and between the nodes. */
export async function startNatsCluster({ folder, overlay, passwords }, machines) {
  const { natsServer } = await servers.ensureServers();
  const places = [];
  for (const [number, machine] of machines.entries()) {
    const [port, route] = [await servers.freePort(), await servers.freePort()];
    places.push({ name: `nats-${number}`, machine, port, route });
  }
  await writeFile(join(overlay, 'nats.conf'), await readFile(join(folder, 'base', 'nats.conf'), 'utf8'));
  let shipped = await readFile(join(overlay, 'nats-cluster.conf'), 'utf8');
  for (const { name, machine, route } of places) {
    shipped = shipped.replace(`${name}.nats-nodes:6222`, `${machine.host}:${route}`);
  }
  shipped = shipped
    .replaceAll(/\/run\/secrets\/nats\/tls\.(crt|key)/g, join(overlay, 'secrets', 'nats.$1'))
    .replaceAll('/run/secrets/nats', join(overlay, 'secrets'));
  const env = { PATH: process.env.PATH };
  for (const [name, value] of Object.entries(passwords)) env[name] = `"${value}"`;
  const nodes = places.map((place) => new NatsNode({ natsServer, overlay, shipped, env, ...place }));
  await Promise.all(nodes.map((node) => node.start()));
  return { nodes, stop: () => Promise.all(nodes.map((node) => node.end())) };
}

class NatsNode {
  #settings;
  #child;

  constructor({ name, machine, port, ...settings }) {
    Object.assign(this, { name, machine, port });
    this.#settings = settings;
  }

  async start() {
    const { natsServer, overlay, shipped, env, route } = this.#settings;
    const { host } = this.machine;
    const file = join(overlay, `${this.name}.conf`);
    await writeFile(file, shipped.replace('port: 6222', `listen: "${host}:${route}"`));
    const args = ['--config', file, '--addr', host, '--port', String(this.port), '--http_port', '-1'];
    this.#child = await servers.startChild({
      ...this.machine.enter({ command: natsServer, args }),
      env: { ...env, POD_NAME: this.name },
      logFile: join(overlay, `${this.name}.log`),
    });
    const deadline = Date.now() + START_TIME_LIMIT_MS;
    while (!(await listens(host, this.port))) {
      if (!this.#child.isAlive() || Date.now() > deadline) {
        throw new Error(`${this.name} did not start:\n${await readFile(join(overlay, `${this.name}.log`), 'utf8')}`);
      }
      await new Promise((done) => setTimeout(done, 50));
    }
  }

  async kill() {
    this.#child.signal('SIGKILL');
    await this.#child.stop();
  }

  async end() {
    await this.#child?.stop();
  }
}

function listens(host, port) {
  return new Promise((settle) => {
    const socket = connect(port, host);
    socket
      .once('error', () => settle(false))
      .once('connect', () => {
        socket.destroy();
        settle(true);
      });
  });
}
