import { createServer } from 'node:http';

/** An external system that each flow calls once. It counts the calls of each instance. */
export class EffectRecorder {
  /** Instance id → `{ order, token, times, at }` of its first call; `at` = when it came (performance.now). */
  calls = new Map();
  #server;

  static async start() {
    const effects = new EffectRecorder();
    effects.#server = createServer((request, response) => {
      const [instanceID, order] = request.url.slice(1).split('/');
      const token = request.headers['x-token'];
      const call = effects.calls.get(instanceID) ?? { order, token, times: 0, at: performance.now() };
      call.times += 1;
      effects.calls.set(instanceID, call);
      request.resume();
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"done":true}');
    });
    // An agent must not reuse a connection that is about to be closed.
    effects.#server.keepAliveTimeout = 0;
    await new Promise((resolve) => effects.#server.listen(0, '127.0.0.1', resolve));
    effects.url = `http://127.0.0.1:${effects.#server.address().port}`;
    return effects;
  }

  stop() {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
