import {
  REFUSAL_CLOSE_CODES,
  AGENT_PATH,
  RETRY_CLOSE_CODES,
  routerFrameReader,
  type RouterFrame,
} from '@batuta/agent-protocol';
import { WebSocket } from 'ws';
import { LAST_SESSION_ID, OFFERED_INSTANCE_ID, OFFERED_FENCE, type Conversation, type Message } from './frames';

const ANSWER_TIME_LIMIT_MS = 60_000;

/** The close codes in docs/agent-protocol.md, and those of RFC 6455 for bytes that are not a WebSocket message. */
const KNOWN_CODES = new Set<number>([
  1001,
  1002,
  1007,
  1009,
  1013,
  ...Object.values(REFUSAL_CLOSE_CODES),
  ...Object.values(RETRY_CLOSE_CODES),
]);

/**
 * How a conversation ended: `open` = the connection still worked after the last message; `close <code>` = the code with which the router closed it;
 * a number = the HTTP status that refused the connection.
 */
export type ConnectionEnd = 'open' | `close ${number}` | number;

export interface ConversationResult {
  outcome: ConnectionEnd;
  /** The text of all frames that the router sent. */
  received: string;
  /** The session that the router opened; undefined when it opened none. */
  sessionID?: string;
  /** The rule of the protocol that the router violated; undefined when it kept all of them. */
  violation?: string;
}

const HELLO = { type: 'hello', protocol: 1, agent: 'hostile', runtimeVersion: '1', capacity: 1 };

/** One connection of a hostile agent. */
class HostileAgent {
  received = '';
  violation: string | undefined;
  private readonly frames: RouterFrame[] = [];
  private readonly socket: WebSocket;
  private waiting: (() => void)[] = [];

  constructor(
    router: string,
    activationKey: string,
    private readonly lastSession: string,
  ) {
    this.socket = new WebSocket(`${router.replace(/^http/, 'ws')}${AGENT_PATH}`, {
      headers: { authorization: `Bearer ${activationKey}` },
    });
    this.socket.on('message', (bytes: Buffer) => this.readFrame(bytes.toString()));
  }

  /**
   * Sends the conversation and then a ping; resolves when the router has answered the ping and, if a granted agent sent valid reports,
   * acknowledged one of them, or has refused or closed the connection. It never rejects, and waits without a time limit.
   */
  converse(conversation: Conversation): Promise<ConnectionEnd> {
    return new Promise((resolve) => {
      this.socket.on('unexpected-response', (request, { statusCode = 0 }) => {
        request.destroy();
        resolve(statusCode);
      });
      this.socket.on('error', () => {});
      this.socket.on('close', (code) => resolve(`close ${code}`));
      this.socket.on('open', () => void this.sendMessages(conversation).then(() => resolve('open')));
    });
  }

  findReceivedFrame<Type extends RouterFrame['type']>(type: Type): Extract<RouterFrame, { type: Type }> | undefined {
    return this.frames.find((frame): frame is Extract<RouterFrame, { type: Type }> => frame.type === type);
  }

  terminate(): void {
    this.socket.terminate();
  }

  private async sendMessages({ stage, messages }: Conversation): Promise<void> {
    if (stage !== 'connected') {
      this.socket.send(JSON.stringify(HELLO));
      await this.waitUntilReached(() => this.findReceivedFrame('offer') !== undefined);
      if (stage === 'granted') await this.accept();
    }
    for (const { bytes, binary } of messages) this.socket.send(this.withRealValues(bytes), { binary });
    let answered = false;
    this.socket.once('pong', () => {
      answered = true;
      this.wake();
    });
    this.socket.ping();
    await this.waitUntilReached(() => answered);
    if (stage === 'granted' && messages.some(isReport))
      await this.waitUntilReached(() => this.findReceivedFrame('ack') !== undefined);
  }

  private async accept(): Promise<void> {
    const { instanceID, fence } = this.findReceivedFrame('offer') ?? {};
    this.socket.send(JSON.stringify({ type: 'accept', instanceID, fence }));
    await this.waitUntilReached(
      () => this.findReceivedFrame('grant') !== undefined || this.findReceivedFrame('revoke') !== undefined,
    );
  }

  /** The bytes with the real values in place of the placeholders; those of an offered instance stay until an instance is offered. */
  private withRealValues(bytes: Buffer): Buffer {
    const offer = this.findReceivedFrame('offer');
    if (![OFFERED_INSTANCE_ID, OFFERED_FENCE, LAST_SESSION_ID].some((one) => bytes.includes(one))) return bytes;
    const text = bytes.toString('latin1').replaceAll(LAST_SESSION_ID, this.lastSession);
    const named =
      offer && text.replaceAll(OFFERED_INSTANCE_ID, offer.instanceID).replaceAll(OFFERED_FENCE, String(offer.fence));
    return Buffer.from(named ?? text, 'latin1');
  }

  private readFrame(text: string): void {
    this.received += text;
    const read = routerFrameReader.read(JSON.parse(text));
    if ('problem' in read) this.violation ??= `the router sent no frame of the protocol: ${read.problem}`;
    else this.frames.push(read.frame);
    this.wake();
  }

  private async waitUntilReached(reached: () => boolean): Promise<void> {
    while (!reached()) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  private wake(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}

/**
 * Sends the messages of a conversation and then a ping, over a connection of its own. Within a minute the router must answer the ping and, if
 * a granted agent sent valid reports, acknowledge at least one, or close the connection with a known code. `lastSession` = the id of an earlier
 * session.
 */
export async function holdConversation(
  router: string,
  activationKey: string,
  lastSession: string,
  conversation: Conversation,
): Promise<ConversationResult> {
  const agent = new HostileAgent(router, activationKey, lastSession);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>(
    (resolve) => (timer = setTimeout(() => resolve(undefined), ANSWER_TIME_LIMIT_MS)),
  );
  const outcome = await Promise.race([agent.converse(conversation), late]);
  clearTimeout(timer);
  agent.terminate();
  const { received } = agent;
  const course = { received, sessionID: agent.findReceivedFrame('welcome')?.sessionID };
  if (outcome === undefined)
    return { ...course, outcome: 'open', violation: `no answer within ${ANSWER_TIME_LIMIT_MS} ms` };
  return { ...course, outcome, violation: agent.violation ?? violationOf(outcome) };
}

function violationOf(outcome: ConnectionEnd): string | undefined {
  if (outcome === 'open') return undefined;
  // A router that is busy for the moment refuses connections; the report counts how often.
  if (typeof outcome === 'number') return outcome === 503 ? undefined : `a valid key is refused with ${outcome}`;
  const code = Number(outcome.slice('close '.length));
  return KNOWN_CODES.has(code) ? undefined : `the unknown close code ${code}`;
}

/** Whether the message is a valid report about the offered instance, which the router must acknowledge. */
function isReport({ name, bytes }: Message): boolean {
  return name === 'report' && bytes.includes(OFFERED_INSTANCE_ID) && bytes.includes(OFFERED_FENCE);
}
