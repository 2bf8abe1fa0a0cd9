import { AGENT_PROTOCOL_VERSION, agentFrameReader, MAX_REPORT_BYTES, type AgentFrame } from '@batuta/agent-protocol';
import { messageOfRefusedName, refusedName } from '@batuta/json';
import { closeReasons, type CloseReason } from './close-reason';

/** The fields of an invalid report with which its instance is ended. */
export interface RefusedReport {
  instanceID: string;
  fence: number;
  /** Undefined when the report has no valid number. */
  seq: number | undefined;
}

/** `report`: present when the refused message is a report with a valid id and fence of its instance. */
export type AgentMessage = { frame: AgentFrame } | { refused: CloseReason; report?: RefusedReport };

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
  if ('problem' in read) return refusalOf(json, read.problem);
  if (read.frame.type === 'report' && bytes > MAX_REPORT_BYTES)
    return refusalOf(read.frame, `lines: the report has ${bytes} bytes, above ${MAX_REPORT_BYTES}`);
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

function refusalOf(json: unknown, problem: string): AgentMessage {
  const { type, instanceID, fence, seq }: Record<string, unknown> = Object(json);
  if (type !== 'report' || typeof instanceID !== 'string' || !/^.{1,64}$/.test(instanceID))
    return { refused: closeReasons.badFrame(problem) };
  const refused = closeReasons.badFrame(problem, instanceID);
  if (!isPositiveInteger(fence)) return { refused };
  return { refused, report: { instanceID, fence, seq: isPositiveInteger(seq) ? seq : undefined } };
}

function isPositiveInteger(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

function otherVersion(version: number): CloseReason {
  return closeReasons.protocolVersion(`protocol: this router speaks ${AGENT_PROTOCOL_VERSION}, not ${version}`);
}
