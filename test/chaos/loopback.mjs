import { openLossyProxy } from './lossy-proxy.mjs';

const HOST = '127.0.0.1';

/** The network for users who may not create network namespaces: all machines share the loopback, and proxies between them drop packets. */
export class LoopbackNetwork {
  host = HOST;
  #machines = [];

  async addMachine() {
    const machine = new LoopbackMachine();
    this.#machines.push(machine);
    return machine;
  }

  async stop() {
    await Promise.all(this.#machines.map((machine) => machine.stop()));
  }
}

class LoopbackMachine {
  host = HOST;
  #proxies = [];

  enter(program) {
    return program;
  }

  /** A proxy to the port, for connections from or to this machine. Nodes of one cluster reach each other without it, so `cut` does not separate them. */
  async endpointFor(_host, port) {
    const proxy = await openLossyProxy(port);
    this.#proxies.push(proxy);
    return { host: HOST, port: proxy.port };
  }

  async cut() {
    await Promise.all(this.#proxies.map((proxy) => proxy.cut()));
  }

  async repair() {
    await Promise.all(this.#proxies.map((proxy) => proxy.repair()));
  }

  async stop() {
    await Promise.all(this.#proxies.map((proxy) => proxy.stop()));
  }
}
