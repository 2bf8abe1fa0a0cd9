import { createServer } from 'node:http';

/** An external system that each flow calls once. It counts the calls of each instance. */
export class EffectRecorder {
  /** Instance id → `{ order, token, times, at }`: values and time (performance.now) of its first call, and the number of all its calls. */
  calls = new Map();
  /** Milliseconds from a call to its answer. */
  delayMs = 0;
  #server;

  static async start(host = '127.0.0.1') {
    const effects = new EffectRecorder();
    effects.#server = createServer((request, response) => {
      const [instanceID, order] = request.url.slice(1).split('/');
      const token = request.headers['x-token'];
      const call = effects.calls.get(instanceID) ?? { order, token, times: 0, at: performance.now() };
      call.times += 1;
      effects.calls.set(instanceID, call);
      request.resume();
      const answer = () => response.writeHead(200, { 'content-type': 'application/json' }).end('{"done":true}');
      if (effects.delayMs === 0) answer();
      else setTimeout(answer, effects.delayMs);
    });
    // 0 = the server never closes an idle connection, so that no agent reuses a connection which is about to close.
    effects.#server.keepAliveTimeout = 0;
    await new Promise((resolve) => effects.#server.listen(0, host, resolve));
    effects.url = `http://${host}:${effects.#server.address().port}`;
    return effects;
  }

  stop() {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
