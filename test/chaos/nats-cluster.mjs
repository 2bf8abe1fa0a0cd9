import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import servers from '../../scripts/lib/servers.cjs';

const NODES = 3;
const START_TIME_LIMIT_MS = 60_000;

/** Three nodes with the files of the overlay `production`: users, limits, TLS for clients and between the nodes. */
export async function startNatsCluster({ folder, overlay, passwords }) {
  const { natsServer } = await servers.ensureServers();
  const places = [];
  for (let number = 0; number < NODES; number += 1) {
    const [port, route] = [await servers.freePort(), await servers.freePort()];
    places.push({ name: `nats-${number}`, port, route });
  }
  await writeFile(join(overlay, 'nats.conf'), await readFile(join(folder, 'base', 'nats.conf'), 'utf8'));
  let shipped = await readFile(join(overlay, 'nats-cluster.conf'), 'utf8');
  for (const { name, route } of places) shipped = shipped.replace(`${name}.nats-nodes:6222`, `127.0.0.1:${route}`);
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

  constructor({ name, port, ...settings }) {
    Object.assign(this, { name, port });
    this.#settings = settings;
  }

  async start() {
    const { natsServer, overlay, shipped, env, route } = this.#settings;
    const file = join(overlay, `${this.name}.conf`);
    await writeFile(file, shipped.replace('port: 6222', `listen: "127.0.0.1:${route}"`));
    this.#child = await servers.startChild({
      command: natsServer,
      args: ['--config', file, '--addr', '127.0.0.1', '--port', String(this.port), '--http_port', '-1'],
      env: { ...env, POD_NAME: this.name },
      logFile: join(overlay, `${this.name}.log`),
    });
    const deadline = Date.now() + START_TIME_LIMIT_MS;
    while (!(await listens(this.port))) {
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

function listens(port) {
  return new Promise((settle) => {
    const socket = connect(port, '127.0.0.1');
    socket
      .once('error', () => settle(false))
      .once('connect', () => {
        socket.destroy();
        settle(true);
      });
  });
}
