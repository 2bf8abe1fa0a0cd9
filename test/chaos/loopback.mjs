import { openLossyWay } from './lossy-way.mjs';

const HOST = '127.0.0.1';

/** For users who may not make network namespaces: all machines are the loopback, and proxies between them drop packets. */
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
  #ways = [];

  enter(program) {
    return program;
  }

  /** A proxy to the port, for clients of this machine or for those on it. Nodes reach each other without it, so a cut does not part them. */
  async wayTo(_host, port) {
    const way = await openLossyWay(port);
    this.#ways.push(way);
    return { host: HOST, port: way.port };
  }

  async cut() {
    await Promise.all(this.#ways.map((way) => way.cut()));
  }

  async mend() {
    await Promise.all(this.#ways.map((way) => way.mend()));
  }

  async stop() {
    await Promise.all(this.#ways.map((way) => way.stop()));
  }
}
