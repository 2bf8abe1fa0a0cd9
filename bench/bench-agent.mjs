import { EventEmitter, once } from 'node:events';
import { createRequire } from 'node:module';
import { WebSocket } from 'ws';

const require = createRequire(import.meta.url);
const { AGENT_PATH, AGENT_PROTOCOL_VERSION } = require('../dist/libs/agent-protocol/src');

const CAPACITY = 100;
/** The largest capacity that the protocol and the environments of the bench allow. */
const MAX_CAPACITY = 1_000;
/** Time limit for the welcome and for each awaited moment. */
const WAIT_TIME_LIMIT_MS = 10_000;

/**
 * The smallest possible agent (docs/agent-protocol.md): it accepts every offer and ends every granted instance at once, without a
 * log line, so that the bench measures the services and not a flow.
 */
export class BenchAgent {
  /** Number of instances that this agent has ended and whose end the router has acknowledged. */
  finished = 0;
  /** Granted instances whose end is not acknowledged yet, by instance id. */
  held = new Map();
  #holds;
  #socket;
  #heartbeat;
  #moments = { granted: new Map(), ended: new Map() };
  #events = new EventEmitter();

  /** Resolves once the router has sent its welcome. With `holds` the agent ends no instance before `endAll`, and has the maximum capacity. */
  static async connect(routerUrl, activationKey, { holds = false } = {}) {
    const agent = new BenchAgent();
    agent.#holds = holds;
    const url = `${routerUrl.replace(/^http/, 'ws')}${AGENT_PATH}`;
    agent.#socket = new WebSocket(url, { headers: { Authorization: `Bearer ${activationKey}` } });
    agent.#socket.on('message', (bytes) => agent.#take(JSON.parse(bytes)));
    agent.#socket.on('error', (error) => agent.#events.emit('error', error));
    const welcome = agent.#next('welcome');
    await once(agent.#socket, 'open');
    agent.#send({
      type: 'hello',
      protocol: AGENT_PROTOCOL_VERSION,
      agent: 'bench',
      runtimeVersion: '1.0.0',
      capacity: holds ? MAX_CAPACITY : CAPACITY,
      abilities: ['variables', 'script', 'rest', 'wait'],
    });
    const [{ heartbeatSeconds }] = await welcome;
    agent.#heartbeat = setInterval(() => agent.#send({ type: 'heartbeat' }), heartbeatSeconds * 1_000);
    return agent;
  }

  /** The moment (performance.now) at which the instance was `granted` or `ended`. Waits for it; rejects after WAIT_TIME_LIMIT_MS. */
  async moment(what, instanceID) {
    const known = this.#moments[what].get(instanceID);
    if (known !== undefined) return known;
    const [moment] = await this.#next(`${what} ${instanceID}`);
    return moment;
  }

  /** Reports the end of every instance that is held; does not wait for the acknowledgements. */
  endAll() {
    for (const { instanceID, fence } of this.held.values()) this.#end(instanceID, fence);
  }

  close() {
    clearInterval(this.#heartbeat);
    this.#socket.close();
  }

  #take(frame) {
    const { type, instanceID, fence } = frame;
    if (type === 'welcome') this.#events.emit('welcome', frame);
    if (type === 'offer') this.#send({ type: 'accept', instanceID, fence });
    if (type === 'grant') {
      this.#record('granted', instanceID);
      this.held.set(instanceID, { instanceID, fence });
      if (!this.#holds) this.#end(instanceID, fence);
    }
    if (type === 'ack' && frame.accepted) {
      this.finished += 1;
      this.held.delete(instanceID);
      this.#record('ended', instanceID);
    }
  }

  #end(instanceID, fence) {
    const end = { outcome: 'FINALIZED', errorStep: null, errorMessage: null };
    this.#send({ type: 'report', instanceID, fence, seq: 1, lines: [], end });
  }

  #record(what, instanceID) {
    const now = performance.now();
    this.#moments[what].set(instanceID, now);
    this.#events.emit(`${what} ${instanceID}`, now);
  }

  #next(event) {
    return once(this.#events, event, { signal: AbortSignal.timeout(WAIT_TIME_LIMIT_MS) });
  }

  #send(frame) {
    this.#socket.send(JSON.stringify(frame));
  }
}
