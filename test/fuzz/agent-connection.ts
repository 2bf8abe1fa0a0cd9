import { AGENT_CLOSE, AGENT_PATH, AGENT_RETRY_CLOSE, routerFrames } from '@batuta/agent-protocol';
import { WebSocket } from 'ws';
import type { Message } from './frames';

const ANSWER_MS = 60_000;

/** Close codes that docs/agent-protocol.md knows, and those of RFC 6455 for bytes that are no WebSocket message. */
const KNOWN_CODES = new Set<number>([
  1001,
  1002,
  1007,
  1009,
  1013,
  ...Object.values(AGENT_CLOSE),
  ...Object.values(AGENT_RETRY_CLOSE),
]);

/** How a connection ended: `open` when the router still answered after the last message; a number refused it. */
export type Outcome = 'open' | `close ${number}` | number;

export interface Conversation {
  outcome: Outcome;
  /** Everything that the router sent. */
  received: string;
  violation?: string;
}

/** Sends the messages and then a ping; the router must answer the ping or have closed the connection with a known code. */
export async function converse(router: string, activationKey: string, messages: Message[]): Promise<Conversation> {
  const socket = new WebSocket(`${router.replace(/^http/, 'ws')}${AGENT_PATH}`, {
    headers: { authorization: `Bearer ${activationKey}` },
  });
  let received = '';
  let violation: string | undefined;
  socket.on('message', (bytes: Buffer) => {
    const text = bytes.toString();
    received += text;
    const read = routerFrames.read(JSON.parse(text));
    if ('problem' in read) violation ??= `the router sent no frame of the protocol: ${read.problem}`;
  });
  const outcome = await new Promise<Outcome | undefined>((resolve) => {
    const timer = setTimeout(() => resolve(undefined), ANSWER_MS);
    const end = (how: Outcome) => {
      clearTimeout(timer);
      resolve(how);
    };
    socket.on('open', () => {
      for (const { bytes, binary } of messages) socket.send(bytes, { binary });
      socket.ping();
    });
    socket.on('pong', () => end('open'));
    socket.on('unexpected-response', (request, { statusCode = 0 }) => {
      request.destroy();
      end(statusCode);
    });
    socket.on('error', () => {});
    socket.on('close', (code) => end(`close ${code}`));
  });
  socket.terminate();
  if (outcome === undefined) return { outcome: 'open', received, violation: `no answer within ${ANSWER_MS} ms` };
  // A router that is busy for the moment refuses connections; the report counts how often.
  if (typeof outcome === 'number' && outcome !== 503) violation ??= `a valid key is refused with ${outcome}`;
  const code = Number(/^close (\d+)$/.exec(String(outcome))?.[1] ?? 1001);
  if (!KNOWN_CODES.has(code)) violation ??= `the unknown close code ${code}`;
  return { outcome, received, violation };
}
