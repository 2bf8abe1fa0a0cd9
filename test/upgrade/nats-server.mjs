import { cp, readFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SERVICES } from '../../bench/programs.mjs';
import servers from '../../scripts/lib/servers.cjs';

const TIME_LIMIT_MS = 60_000;

/** One NATS server with the shipped configuration file of a release: its users, their rights and the limits. */
export class NatsServer {
  #child;
  #home;
  #passwords = {};

  static async start({ folder, release }) {
    const nats = new NatsServer();
    nats.#home = folder;
    nats.port = await servers.freePort();
    for (const service of SERVICES) nats.#passwords[service] = randomBytes(18).toString('base64url');
    await nats.#copyConfiguration(release);
    const { natsServer } = await servers.ensureServers();
    const env = { PATH: process.env.PATH };
    // In quotes, as in Kubernetes: without them the server would read 7123 or 7g as numbers.
    for (const service of SERVICES) env[`NATS_${service.toUpperCase()}_PASSWORD`] = `"${nats.#passwords[service]}"`;
    nats.#child = await servers.startChild({
      command: natsServer,
      args: ['--config', nats.#file, '--addr', '127.0.0.1', '--port', String(nats.port), '--http_port', '-1'],
      env,
      logFile: nats.#log,
    });
    await nats.#until('it listens', () => listens(nats.port));
    return nats;
  }

  url(service) {
    return `nats://${service}:${this.#passwords[service]}@127.0.0.1:${this.port}`;
  }

  /** Loads the configuration file of this release without a restart. */
  async reloadFor(release) {
    const before = (await this.#lines()).length;
    await this.#copyConfiguration(release);
    this.#child.signal('SIGHUP');
    await this.#until('it has reloaded its file', async () =>
      (await this.#lines()).slice(before).some((line) => line.includes('Reloaded server configuration')),
    );
  }

  async stop() {
    await this.#child?.stop();
  }

  /** The lines of the log about messages that a user was not allowed to send or to receive. */
  async readViolations() {
    return (await this.#lines()).filter((line) => line.includes('Violation'));
  }

  get #file() {
    return join(this.#home, 'nats.conf');
  }

  get #log() {
    return join(this.#home, 'nats.log');
  }

  #copyConfiguration({ folder }) {
    return cp(join(folder, 'k8s', 'base', 'nats.conf'), this.#file);
  }

  async #lines() {
    return (await readFile(this.#log, 'utf8')).split('\n');
  }

  async #until(what, isSo) {
    const deadline = Date.now() + TIME_LIMIT_MS;
    while (!(await isSo())) {
      if (!this.#child.isAlive() || Date.now() > deadline) {
        throw new Error(`NATS: not so: ${what}\n${(await this.#lines()).slice(-20).join('\n')}`);
      }
      await sleep(50);
    }
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
