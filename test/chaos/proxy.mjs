import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../scripts/lib/find-servers.cjs';
import haproxy from '../../scripts/lib/haproxy.cjs';
import servers from '../../scripts/lib/servers.cjs';

/**
 * One HAProxy with the shipped ops/galera/haproxy.cfg for the database, and with one list of replicas for each service that is reached over
 * HTTP, in place of the Services of Kubernetes. It listens on the address `host`; the replicas listen on the loopback.
 */
export async function startProxy({ host, galera, services }) {
  const own = {};
  for (const name of ['database', ...Object.keys(services)]) own[name] = await servers.freePort();
  let text = await readFile(join(ROOT, 'ops', 'galera', 'haproxy.cfg'), 'utf8');
  text = text.replace('bind :3306', `bind ${host}:${own.database}`);
  for (const node of galera) text = text.replace(`${node.name}:3306`, `${node.host}:${node.port}`);
  for (const [name, replicas] of Object.entries(services)) {
    // The check is that of liveness, so a replica that is only slow stays in the list, as with the probes of the manifests.
    const check = '  option httpchk GET /health/live\n  timeout check 3s\n';
    text += sectionOf({ name, bind: `${host}:${own[name]}`, servers: replicas, check });
  }
  const proxy = new ServingProxy(text, own);
  await proxy.start();
  return proxy;
}

class ServingProxy {
  name = 'the proxy';
  #configuration;
  #child;

  /** `ports`: name of the list → the port where the proxy serves it. */
  constructor(configuration, ports) {
    this.#configuration = configuration;
    this.ports = ports;
  }

  async start() {
    this.#child = await haproxy.startHaproxy(this.#configuration);
  }

  async kill() {
    this.#child.signal('SIGKILL');
    await this.#child.stop();
  }

  log() {
    return this.#child.log();
  }

  async stop() {
    await this.#child?.stop();
  }
}

function sectionOf({ name, bind, servers: list, check = '' }) {
  const lines = list.map((server) => `  server ${server.name} 127.0.0.1:${server.port} check`);
  return `
frontend ${name}
  bind ${bind}
  default_backend ${name}
backend ${name}
  balance leastconn
${check}  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${lines.join('\n')}
`;
}
