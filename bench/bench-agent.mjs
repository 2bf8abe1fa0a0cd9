import { EventEmitter, once } from 'node:events';
import { createRequire } from 'node:module';
import { WebSocket } from 'ws';

const require = createRequire(import.meta.url);
const { AGENT_PATH, AGENT_PROTOCOL_VERSION } = require('../dist/libs/contracts/src');

const CAPACITY = 100;
const MOST_CAPACITY = 1_000;
const WAIT_MS = 10_000;

/**
 * The least that an agent can be (docs/agent-protocol.md): it takes every offer and ends what it is granted at once,
 * without a line of log, so that the service is measured and not a flow.
 */
export class BenchAgent {
  /** How many instances ended here, their end acknowledged. */
  finished = 0;
  /** What it was granted and has not ended yet, by instance id. */
  held = new Map();
  #holds;
  #socket;
  #heartbeat;
  #moments = { granted: new Map(), ended: new Map() };
  #news = new EventEmitter();

  /** Resolves once the router has welcomed it. `holds`: it ends nothing before `endAll`, and takes as much as an agent may. */
  static async connect(routerUrl, activationKey, { holds = false } = {}) {
    const agent = new BenchAgent();
    agent.#holds = holds;
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
      capacity: holds ? MOST_CAPACITY : CAPACITY,
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

  endAll() {
    for (const { instanceID, fence } of this.held.values()) this.#end(instanceID, fence);
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
      this.held.set(instanceID, { instanceID, fence });
      if (!this.#holds) this.#end(instanceID, fence);
    }
    if (type === 'ack' && frame.accepted) {
      this.finished += 1;
      this.held.delete(instanceID);
      this.#note('ended', instanceID);
    }
  }

  #end(instanceID, fence) {
    const end = { outcome: 'FINALIZED', errorStep: null, errorMessage: null };
    this.#send({ type: 'report', instanceID, fence, seq: 1, lines: [], end });
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
