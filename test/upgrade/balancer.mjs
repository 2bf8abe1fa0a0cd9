import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import haproxy from '../../scripts/lib/haproxy.cjs';
import servers from '../../scripts/lib/servers.cjs';

/** How long HAProxy may take to notice a replica that is ready. */
const SERVED_TIME_LIMIT_MS = 60_000;

/** One HAProxy in place of the Services and Ingresses of Kubernetes, for the services that callers and agents reach over HTTP. */
export class Balancer {
  #program;
  #home;
  #socket;
  #ports = {};

  /** `replicas`: every replica that will ever run, as `{ service, name, port }`; a replica whose probe fails gets no calls. */
  static async start(replicas) {
    const balancer = new Balancer();
    balancer.#home = await mkdtemp(join(tmpdir(), 'batuta-balancer-'));
    balancer.#socket = join(balancer.#home, 'admin');
    const services = Map.groupBy(replicas, ({ service }) => service);
    let text = HAPROXY_HEAD.replace('SOCKET', balancer.#socket);
    for (const [service, list] of services) {
      balancer.#ports[service] = await servers.freePort();
      text += sectionOf(service, balancer.#ports[service], list);
    }
    balancer.#program = await haproxy.startHaproxy(text);
    return balancer;
  }

  url(service) {
    return `http://127.0.0.1:${this.#ports[service]}`;
  }

  /** Resolves when the service answers through the balancer, whose probes may not have noticed a new replica yet. */
  async untilServed(service) {
    const deadline = Date.now() + SERVED_TIME_LIMIT_MS;
    for (;;) {
      const { ok } = await fetch(`${this.url(service)}/health/live`).catch(() => ({ ok: false }));
      if (ok) return;
      if (Date.now() > deadline) throw new Error(`HAProxy does not serve ${service}: ${await this.#program.log()}`);
      await sleep(100);
    }
  }

  /** Lets a replica, drained or new, get requests as soon as its probe succeeds. */
  admit({ service, name }) {
    return this.#command(`set server ${service}/${name} state ready`);
  }

  /** Sends no new request to the replica; requests in progress continue. */
  drain({ service, name }) {
    return this.#command(`set server ${service}/${name} state drain`);
  }

  async stop() {
    await this.#program.stop();
    await rm(this.#home, { recursive: true, force: true });
  }

  #command(line) {
    return new Promise((resolve, reject) => {
      let answer = '';
      const socket = connect(this.#socket, () => socket.end(`${line}\n`));
      socket
        .on('data', (part) => (answer += part))
        .on('error', reject)
        .on('close', () => (answer.trim() === '' ? resolve() : reject(new Error(`HAProxy: ${line}: ${answer}`))));
    });
  }
}

const HAPROXY_HEAD = `
global
  maxconn 4000
  stats socket SOCKET mode 600 level admin

defaults
  mode http
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout tunnel 1h
  timeout check 2s
  option redispatch
  retries 3
  retry-on conn-failure
  option http-server-close
`;

function sectionOf(service, port, replicas) {
  const lines = replicas.map((replica) => `  server ${replica.name} 127.0.0.1:${replica.port} check`);
  return `
frontend ${service}
  bind 127.0.0.1:${port}
  default_backend ${service}
backend ${service}
  balance roundrobin
  option httpchk GET /health/ready
  default-server inter 200ms fall 2 rise 1
${lines.join('\n')}
`;
}
