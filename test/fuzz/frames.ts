import { agentFrameSchemas } from '@batuta/agent-protocol';
import * as fc from 'fast-check';
import type { KnownValues } from './requests';
import { withKnownValues } from './requests';
import { jsonValues, arbitraryOf } from './schema-values';

/** One message of a hostile agent. */
export interface Message {
  /** For the report of a violation: the type of a valid frame, or what is wrong with the message. */
  name: string;
  bytes: Buffer;
  binary: boolean;
}

/** The messages that an agent sends on one connection, once the router has brought it to the stage. */
export interface Conversation {
  /** `offered`: an instance was offered to the agent; `granted`: the agent has accepted that instance and runs it. */
  stage: 'connected' | 'offered' | 'granted';
  messages: Message[];
}

type FrameType = keyof typeof agentFrameSchemas;

/** The types of all frames that an agent may send. */
export const FRAME_TYPES = Object.keys(agentFrameSchemas).filter(isFrameType);

/**
 * Placeholders in messages for the offered instance, its fence and the previous session. `holdConversation` replaces them by the real ones, those
 * of the instance only after the router has offered one.
 */
export const OFFERED_INSTANCE_ID = 'the-offered-instance';
export const OFFERED_FENCE = '987654321';
export const LAST_SESSION_ID = 'the-last-session';

const heldInstanceValues = fc.record({
  instanceID: fc.constantFrom(OFFERED_INSTANCE_ID, 'x'),
  fence: fc.constantFrom(Number(OFFERED_FENCE), 1),
});
const resumeValues = fc.record({
  sessionID: fc.constantFrom(LAST_SESSION_ID, 'x'),
  held: fc.array(heldInstanceValues, { maxLength: 3 }),
});

/**
 * Stage `connected` (two thirds): first a hello, valid in at least 80 percent of the conversations, then up to six messages. Stages `offered` and
 * `granted` (a sixth each): up to six messages, after a hello that HostileAgent sends. Of these messages 40 percent are valid frames;
 * the rest are mutated or truncated frames, hostile texts or random bytes.
 */
export function arbitraryConversations(values: KnownValues): fc.Arbitrary<Conversation> {
  const known = { ...values, resume: resumeValues };
  const hello = fc.oneof(
    { weight: 4, arbitrary: framesOf('hello', known).map(plainMessage) },
    arbitraryMessages(known),
  );
  const others = fc.array(arbitraryMessages(known), { maxLength: 6 });
  const connected = fc.tuple(hello, others).map(([first, rest]) => ({ messages: [first, ...rest] }));
  return fc.oneof(
    { weight: 4, arbitrary: connected.map((one): Conversation => ({ stage: 'connected', ...one })) },
    { weight: 1, arbitrary: others.map((some): Conversation => ({ stage: 'offered', messages: some })) },
    { weight: 1, arbitrary: others.map((some): Conversation => ({ stage: 'granted', messages: some })) },
  );
}

function isFrameType(type: string): type is FrameType {
  return type in agentFrameSchemas;
}

function arbitraryMessages(known: KnownValues): fc.Arbitrary<Message> {
  const frames = fc.oneof(...FRAME_TYPES.map((type) => framesOf(type, known)));
  return fc.oneof(
    { weight: 4, arbitrary: frames.map(plainMessage) },
    { weight: 2, arbitrary: mutateFrames(frames) },
    { weight: 1, arbitrary: cutFrames(frames) },
    { weight: 1, arbitrary: fc.constantFrom(...HOSTILE_MESSAGES) },
    {
      weight: 1,
      arbitrary: fc.uint8Array({ maxLength: 500 }).map((bytes) => makeMessage('bytes', Buffer.from(bytes), true)),
    },
    {
      weight: 1,
      arbitrary: fc.uint8Array({ maxLength: 500 }).map((bytes) => makeMessage('bytes as text', Buffer.from(bytes))),
    },
  );
}

function framesOf(type: FrameType, known: KnownValues): fc.Arbitrary<Record<string, unknown>> {
  return arbitraryOf(agentFrameSchemas[type])
    .chain((frame) => withKnownValues(frame, known))
    .map((frame) => ({ ...Object(frame), type }));
}

/** Messages with one field of a frame removed, replaced by any JSON, or added. */
function mutateFrames(frames: fc.Arbitrary<Record<string, unknown>>): fc.Arbitrary<Message> {
  const extra = fc.constantFrom('__proto__', 'constructor', 'type', 'seq', 'fence', '', 'resume', 'lines', 'end');
  return fc.tuple(frames, fc.nat(), extra, jsonValues(), fc.constantFrom('remove', 'replace', 'add')).map((parts) => {
    const [frame, at, name, value, how] = parts;
    const names = Object.keys(frame);
    const field = how === 'add' ? name : (names[at % names.length] ?? name);
    const others = Object.entries(frame).filter(([one]) => one !== field);
    const all = how === 'remove' ? others : [...others, [field, value] as const];
    const text = all.map(([one, content]) => `${JSON.stringify(one)}:${JSON.stringify(content)}`).join();
    return makeMessage(`${how} ${field} of ${String(frame['type'])}`, Buffer.from(`{${text}}`));
  });
}

/** Messages that end before their frame does; they may be empty. */
function cutFrames(frames: fc.Arbitrary<Record<string, unknown>>): fc.Arbitrary<Message> {
  return fc.tuple(frames, fc.nat()).map(([frame, at]) => {
    const bytes = Buffer.from(JSON.stringify(frame));
    return makeMessage('cut', bytes.subarray(0, at % bytes.length));
  });
}

function plainMessage(frame: Record<string, unknown>): Message {
  return makeMessage(String(frame['type']), Buffer.from(JSON.stringify(frame)));
}

function makeMessage(name: string, bytes: Buffer, binary = false): Message {
  return { name, bytes, binary };
}

const LOG_LINE_TEXT = '{"timestamp":"2026-03-02T14:05:09Z","severity":"INFO","message":"m","stepID":"s"}';
const reportTextOf = (lines: string) => `{"type":"report","instanceID":"x","fence":1,"seq":1,"lines":[${lines}]}`;

const HOSTILE_MESSAGES: Message[] = [
  ['', '{}', '[]', 'null', '0', '"hello"', '{"type":"hello"}', '{"type":"__proto__"}', '{"type":"constructor"}'],
  '{"type":["hello"]}',
  '{"type":"hello","protocol":1e400,"agent":"a","runtimeVersion":"1","capacity":1e400,"abilities":[]}',
  '{"type":"hello","protocol":2,"agent":"a","runtimeVersion":"1","capacity":1,"abilities":[]}',
  '{"type":"report","instanceID":"x","fence":1,"seq":9007199254740991,"lines":[]}',
  '{"type":"accept","instanceID":"\\u0000","fence":1}',
  `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
  reportTextOf(Array.from({ length: 501 }, () => LOG_LINE_TEXT).join()),
  reportTextOf(`{"timestamp":"2026-02-30T00:00:00Z","severity":"INFO","message":"m","stepID":"s"}`),
  reportTextOf(`{"timestamp":"2026-03-02T14:05:09Z","severity":"INFO","message":"${'x'.repeat(16_385)}","stepID":"s"}`),
  reportTextOf(`{"timestamp":"2026-03-02T14:05:09Z","severity":"INFO","message":"\\ud800","stepID":"\\u0000"}`),
  `{"type":"${'x'.repeat(1_000_000)}"}`,
]
  .flat()
  .map((text) => makeMessage(`text ${text.slice(0, 60)}`, Buffer.from(text)));
