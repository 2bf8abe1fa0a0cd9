import { AGENT_PROTOCOL_VERSION, agentFrames, MAX_REPORT_BYTES, type AgentFrame } from '@batuta/contracts';
import { farewell, type Farewell } from './farewell';

export type ReadFrame = { frame: AgentFrame } | { refused: Farewell };

/** One text message of an agent → its frame, or the farewell that names the field that is wrong. Never throws. */
export function readFrame(text: string, bytes: number): ReadFrame {
  const given = parse(text);
  if (given === undefined) return { refused: farewell.badFrame('frame: is not JSON') };
  const version = helloVersion(given);
  if (version !== undefined && version !== AGENT_PROTOCOL_VERSION) return { refused: otherVersion(version) };
  const read = agentFrames.read(given);
  if ('problem' in read) return { refused: farewell.badFrame(read.problem) };
  if (read.frame.type === 'report' && bytes > MAX_REPORT_BYTES) {
    return { refused: farewell.badFrame(`lines: the report has ${bytes} bytes, above ${MAX_REPORT_BYTES}`) };
  }
  return read;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Looked at first: a hello of another version may well have other fields. */
function helloVersion(given: unknown): number | undefined {
  if (typeof given !== 'object' || given === null || !('type' in given) || given.type !== 'hello') return undefined;
  return 'protocol' in given && typeof given.protocol === 'number' ? given.protocol : undefined;
}

function otherVersion(version: number): Farewell {
  return farewell.protocolVersion(`protocol: this router speaks ${AGENT_PROTOCOL_VERSION}, not ${version}`);
}
