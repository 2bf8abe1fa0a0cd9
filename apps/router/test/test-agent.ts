import { AGENT_PATH, routerFrameReader, type HelloFrame, type RouterFrame } from '@batuta/agent-protocol';
import { WebSocket } from 'ws';
import { waitUntil } from '../../../test/support/wait-until';
import { waitUntilTrue } from './until';

type FrameOf<Type extends RouterFrame['type']> = Extract<RouterFrame, { type: Type }>;

/** For tests: an agent that sends heartbeats from `join` to `stopHeartbeats`, and other frames only when a test calls a method. */
export class TestAgent {
  /** The received frames that `takeFrame` has not taken. */
  readonly frames: RouterFrame[] = [];
  /** Undefined until the connection is closed. */
  closed: { code: number } | undefined;
  private heartbeat: NodeJS.Timeout | undefined;

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => this.frames.push(parseFrame(data)));
    socket.on('close', (code) => {
      this.closed = { code };
      this.stopHeartbeats();
    });
    socket.on('error', () => {});
  }

  /** Resolves once the connection is open, or once it was refused, in which case `closed` is set. */
  static async connect(routerURL: string, key: string): Promise<TestAgent> {
    const url = routerURL.replace('http', 'ws') + AGENT_PATH;
    const agent = new TestAgent(new WebSocket(url, { headers: { Authorization: `Bearer ${key}` } }));
    await waitUntilTrue(() => agent.socket.readyState === WebSocket.OPEN || agent.closed !== undefined, 'a connection');
    return agent;
  }

  /** Connects, sends the hello and waits for the welcome. */
  static async join(routerURL: string, key: string, hello: Partial<HelloFrame> = {}) {
    // The connection is tried again, because a slow router refuses agents for a moment.
    const agent = await waitUntil('a connection', async () => {
      const one = await TestAgent.connect(routerURL, key);
      return one.closed === undefined && one;
    });
    agent.sendHello(hello);
    const welcome = await agent.takeFrame('welcome');
    agent.heartbeat = setInterval(() => agent.send({ type: 'heartbeat' }), welcome.heartbeatSeconds * 1_000);
    return { agent, welcome, sessionID: welcome.sessionID };
  }

  sendHello(over: Partial<HelloFrame> = {}): void {
    const hello = { type: 'hello', protocol: 1, agent: 'test', runtimeVersion: '1', capacity: 2 };
    this.send({ ...hello, ...over });
  }

  send(frame: object | string): void {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  /** Waits for a frame of the type for which `fits` is true, removes it from `frames` and returns it. */
  async takeFrame<Type extends RouterFrame['type']>(
    type: Type,
    fits: (frame: FrameOf<Type>) => boolean = () => true,
  ): Promise<FrameOf<Type>> {
    const matches = (frame: RouterFrame): frame is FrameOf<Type> => isOfType(frame, type) && fits(frame);
    let found: FrameOf<Type> | undefined;
    // The frame is found and removed synchronously, because two callers may wait for frames of the same type.
    await waitUntilTrue(
      () => {
        found = this.frames.find(matches);
        if (found) this.frames.splice(this.frames.indexOf(found), 1);
        return found !== undefined;
      },
      `a ${type} among ${JSON.stringify(this.frames.map((f) => f.type))}`,
    );
    if (!found) throw new Error('The frame is missing');
    return found;
  }

  /** Whether such a frame was received and not taken. */
  has(type: RouterFrame['type']): boolean {
    return this.frames.some((frame) => frame.type === type);
  }

  /** Waits until the connection is closed; returns the close code of WebSocket. */
  async waitForClose(): Promise<number> {
    await waitUntilTrue(() => this.closed !== undefined, 'the close');
    return this.closed?.code ?? 0;
  }

  /** Accepts the next offer and waits for its grant. */
  async acceptOffer(): Promise<{ instanceID: string; fence: number }> {
    const { instanceID, fence } = await this.takeFrame('offer');
    this.send({ type: 'accept', instanceID, fence });
    await this.takeFrame('grant', (grant) => grant.instanceID === instanceID);
    return { instanceID, fence };
  }

  sendReport(held: { instanceID: string; fence: number }, seq: number, withEnd = false): void {
    const lines = [{ timestamp: new Date().toISOString(), severity: 'INFO', message: `line ${seq}`, stepID: 'a' }];
    const end = { outcome: 'FINALIZED', errorStep: null, errorMessage: null };
    const { instanceID, fence } = held;
    this.send({ type: 'report', instanceID, fence, seq, lines, ...(withEnd && { end }) });
  }

  /** Stops sending heartbeats. */
  stopHeartbeats(): void {
    clearInterval(this.heartbeat);
  }

  /** Terminates the connection without a close frame. */
  cut(): void {
    this.stopHeartbeats();
    this.socket.terminate();
  }
}

function parseFrame(message: Buffer): RouterFrame {
  const read = routerFrameReader.read(JSON.parse(message.toString('utf8')));
  if ('problem' in read) throw new Error(read.problem);
  return read.frame;
}

function isOfType<Type extends RouterFrame['type']>(frame: RouterFrame, type: Type): frame is FrameOf<Type> {
  return frame.type === type;
}
