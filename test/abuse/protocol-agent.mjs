import { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { WebSocket } from 'ws';

const require = createRequire(import.meta.url);
const { AGENT_PATH, AGENT_PROTOCOL_VERSION } = require('../../dist/libs/agent-protocol/src');

const FRAME_TIME_LIMIT_MS = 20_000;

/** An agent that speaks the protocol (docs/agent-protocol.md) and does what a trick tells it to. */
export class ProtocolAgent {
  /** Why the connection ended: `close <code>`, or the message of its error; undefined while it is open. */
  closeReason;
  events = new EventEmitter();
  #reject;
  /** Never resolves; rejects when the router reports an error, or when the connection ends. */
  failure = new Promise((_, reject) => (this.#reject = reject));
  #socket;
  #heartbeat;
  #sequence = new Map();

  /** Resolves once the router has sent its welcome; throws with the status or close code of a refusal. */
  static async connect({ router, from }, activationKey, { capacity = 50 } = {}) {
    const agent = new ProtocolAgent();
    agent.#open(`${router.replace(/^http/, 'ws')}${AGENT_PATH}`, activationKey, from);
    const hello = { type: 'hello', protocol: AGENT_PROTOCOL_VERSION, agent: 'hostile', runtimeVersion: '1.0.0' };
    const welcome = agent.#next('welcome');
    agent.#socket.once('open', () => agent.send({ ...hello, capacity, abilities: ['variables', 'script', 'rest'] }));
    const { heartbeatSeconds } = await welcome;
    agent.#heartbeat = setInterval(() => agent.send({ type: 'heartbeat' }), heartbeatSeconds * 1_000);
    return agent;
  }

  #open(url, activationKey, from) {
    // Without this handler the rejection would be unhandled when nobody awaits `failure`.
    this.failure.catch(() => {});
    const headers = { Authorization: `Bearer ${activationKey}` };
    this.#socket = new WebSocket(url, { headers, localAddress: from, maxPayload: 64 * 1024 * 1024 });
    this.#socket.on('message', (bytes) => this.#dispatch(JSON.parse(bytes)));
    this.#socket.on('error', (error) => this.#end(error.message));
    this.#socket.on('close', (code) => this.#end(`close ${code}`));
  }

  send(frame) {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }

  /** Sends the next report of a granted instance; resolves to its acknowledgement. */
  async report({ instanceID, fence }, content) {
    const seq = (this.#sequence.get(instanceID) ?? 0) + 1;
    this.#sequence.set(instanceID, seq);
    const acknowledged = this.#next(`ack ${instanceID} ${seq}`);
    this.send({ type: 'report', instanceID, fence, seq, lines: [], ...content });
    return acknowledged;
  }

  /** Sends a part of a picture; resolves to its acknowledgement. */
  async sendPicturePart(content) {
    const { evidenceID, part } = content;
    const acknowledged = this.#next(`ack ${evidenceID} ${part}`);
    this.send({ type: 'evidence', ...content });
    return acknowledged;
  }

  /** Reports the end of a granted instance; resolves to the acknowledgement. */
  end(instance, outcome = 'FINALIZED') {
    const failed = outcome === 'ERROR' ? { errorStep: 'Only step', errorMessage: 'It failed.' } : {};
    return this.report(instance, { end: { outcome, errorStep: null, errorMessage: null, ...failed } });
  }

  /** Accepts every offer and passes each granted instance to `run`. */
  accept(run) {
    this.events.on('offer', ({ instanceID, fence }) => this.send({ type: 'accept', instanceID, fence }));
    this.events.on('grant', (grant) => void run(grant));
  }

  close() {
    clearInterval(this.#heartbeat);
    this.#socket.terminate();
  }

  /**
   * Resolves to the next frame of this name; rejects when the connection ends or the frame does not come in time. The reports of all
   * granted instances wait at once, so none of them adds a listener for the end of the connection, as `events.once` would.
   */
  async #next(name) {
    const late = AbortSignal.timeout(FRAME_TIME_LIMIT_MS);
    let take;
    const arrived = new Promise((resolve, reject) => {
      take = resolve;
      this.events.once(name, resolve);
      late.addEventListener('abort', () => reject(late.reason));
    });
    try {
      return await Promise.race([arrived, this.failure]);
    } finally {
      this.events.off(name, take);
    }
  }

  /** Emits a received frame as the event of its type, acknowledgements as `ack <id> <seq or part>`; an `error` frame rejects `failure`. */
  #dispatch(frame) {
    const { type, instanceID, seq, evidenceID, part, message } = frame;
    // An event of this name without a listener would end the program.
    if (type === 'error') return this.#reject(new Error(message));
    const names = { ack: `ack ${instanceID} ${seq}`, evidenceAck: `ack ${evidenceID} ${part}` };
    return this.events.emit(names[type] ?? `${type}`, frame);
  }

  /** Ends everything that waits for this connection. */
  #end(reason) {
    clearInterval(this.#heartbeat);
    if (this.closeReason) return;
    this.closeReason = reason;
    this.#reject(new Error(reason));
  }
}
