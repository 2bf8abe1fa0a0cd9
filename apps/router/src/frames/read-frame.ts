import { AGENT_PROTOCOL_VERSION, agentFrameReader, MAX_REPORT_BYTES, type AgentFrame } from '@batuta/agent-protocol';
import { messageOfRefusedName, refusedName } from '@batuta/json';
import { closeReasons, type CloseReason } from './close-reason';

export type AgentMessage = { frame: AgentFrame } | { refused: CloseReason };

/** Reads one text message of an agent. The close reason of an invalid message names the wrong field. Never throws. */
export function readFrame(text: string, bytes: number): AgentMessage {
  // This check comes first: JSON.parse of a text with such a name would change how later frames of other environments
  // are read, even if the text is no frame.
  const name = refusedName(text);
  if (name !== undefined) return { refused: closeReasons.badFrame(`frame: ${messageOfRefusedName(name)}`) };
  const json = parseJson(text);
  if (json === undefined) return { refused: closeReasons.badFrame('frame: is not JSON') };
  const version = helloVersion(json);
  if (version !== undefined && version !== AGENT_PROTOCOL_VERSION) return { refused: otherVersion(version) };
  const read = agentFrameReader.read(json);
  if ('problem' in read) return { refused: closeReasons.badFrame(read.problem, instanceOfReport(json)) };
  if (read.frame.type === 'report' && bytes > MAX_REPORT_BYTES) {
    const message = `lines: the report has ${bytes} bytes, above ${MAX_REPORT_BYTES}`;
    return { refused: closeReasons.badFrame(message, read.frame.instanceID) };
  }
  return read;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The protocol version of a hello, read before the schema is checked: a hello of another version may have other fields. */
function helloVersion(json: unknown): number | undefined {
  if (typeof json !== 'object' || json === null || !('type' in json) || json.type !== 'hello') return undefined;
  return 'protocol' in json && typeof json.protocol === 'number' ? json.protocol : undefined;
}

/** The id of the instance that an invalid report is about; undefined when the message is no report, or names none. */
function instanceOfReport(json: unknown): string | undefined {
  const { type, instanceID }: { type?: unknown; instanceID?: unknown } = Object(json);
  return type === 'report' && typeof instanceID === 'string' && /^.{1,64}$/.test(instanceID) ? instanceID : undefined;
}

function otherVersion(version: number): CloseReason {
  return closeReasons.protocolVersion(`protocol: this router speaks ${AGENT_PROTOCOL_VERSION}, not ${version}`);
}
