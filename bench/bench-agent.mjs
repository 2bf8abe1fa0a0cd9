import { EventEmitter, once } from 'node:events';
import { createRequire } from 'node:module';
import { WebSocket } from 'ws';

const require = createRequire(import.meta.url);
const { AGENT_PATH, AGENT_PROTOCOL_VERSION } = require('../dist/libs/contracts/src');

const CAPACITY = 100;
const WAIT_MS = 10_000;

/**
 * The least that an agent can be (docs/agent-protocol.md): it takes every offer and ends what it is granted at once,
 * without a line of log, so that the service is measured and not a flow.
 */
export class BenchAgent {
  /** How many instances ended here, their end acknowledged. */
  finished = 0;
  #socket;
  #heartbeat;
  #moments = { granted: new Map(), ended: new Map() };
  #news = new EventEmitter();

  /** Resolves once the router has welcomed it. */
  static async connect(routerUrl, activationKey) {
    const agent = new BenchAgent();
    const url = `${routerUrl.replace(/^http/, 'ws')}${AGENT_PATH}`;
    agent.#socket = new WebSocket(url, { headers: { Authorization: `Bearer ${activationKey}` } });
    agent.#socket.on('message', (bytes) => agent.#take(JSON.parse(bytes)));
    agent.#socket.on('error', (error) => agent.#news.emit('error', error));
    const welcome = agent.#hear('welcome');
    await once(agent.#socket, 'open');
    agent.#send({
      type: 'hello',
      protocol: AGENT_PROTOCOL_VERSION,
      agent: 'bench',
      runtimeVersion: '1.0.0',
      capacity: CAPACITY,
      abilities: [],
    });
    const [{ heartbeatSeconds }] = await welcome;
    agent.#heartbeat = setInterval(() => agent.#send({ type: 'heartbeat' }), heartbeatSeconds * 1_000);
    return agent;
  }

  /** The moment (performance.now) at which the instance was `granted` or `ended`, waited for if need be. */
  async moment(what, instanceID) {
    const known = this.#moments[what].get(instanceID);
    if (known !== undefined) return known;
    const [moment] = await this.#hear(`${what} ${instanceID}`);
    return moment;
  }

  close() {
    clearInterval(this.#heartbeat);
    this.#socket.close();
  }

  #take(frame) {
    const { type, instanceID, fence } = frame;
    if (type === 'welcome') this.#news.emit('welcome', frame);
    if (type === 'offer') this.#send({ type: 'accept', instanceID, fence });
    if (type === 'grant') {
      this.#note('granted', instanceID);
      const end = { outcome: 'FINALIZED', errorStep: null, errorMessage: null };
      this.#send({ type: 'report', instanceID, fence, seq: 1, lines: [], end });
    }
    if (type === 'ack' && frame.accepted) {
      this.finished += 1;
      this.#note('ended', instanceID);
    }
  }

  #note(what, instanceID) {
    const now = performance.now();
    this.#moments[what].set(instanceID, now);
    this.#news.emit(`${what} ${instanceID}`, now);
  }

  #hear(event) {
    return once(this.#news, event, { signal: AbortSignal.timeout(WAIT_MS) });
  }

  #send(frame) {
    this.#socket.send(JSON.stringify(frame));
  }
}
