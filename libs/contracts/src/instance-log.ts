import type { InstanceBody, LogLine, Viewer } from './instance';

/** The changes that a follower of an instance has not seen yet: the current body, and the lines after a line number. */
export interface InstanceNews {
  body: InstanceBody;
  /** At most `limit` lines and a page of bytes after `after`, oldest first; `line` numbers them from 1. */
  lines: (LogLine & { line: number })[];
}

/** Lines of a log in chronological order, as many as fit into a page (interpretation 9b). */
export interface LogPage {
  logs: LogLine[];
  /** Present when the request has no `after` and the log has earlier lines: a request with this `before` reads them. */
  older?: { before: number };
  /** Present when the request has `after` and further lines exist between it and `before`: a request with this `after` reads them. */
  newer?: { after: number };
}

/** Which lines of an instance's log an account reads. */
export interface LogRequest {
  instanceID: string;
  viewer: Viewer;
  /** At most this many lines, and at most 1,000. */
  limit: number;
  /** Only lines after this line number. */
  after?: number;
  /** Only lines before this line number. */
  before?: number;
}

/** Why a picture is not kept, for agents (docs/agent-protocol.md). */
export type EvidenceRefusal = 'NOT_HELD' | 'BAD_PART' | 'BAD_MEDIA_TYPE' | 'TOO_LARGE' | 'TOO_MANY' | 'QUOTA_EXCEEDED';

/** Whether a part of a picture was stored, or why not; the agent repeats a part without a reply. */
export type EvidenceReply = { accepted: true } | { accepted: false; code: EvidenceRefusal; message: string };

/** Bytes of a picture from an offset on, in base64; the last page ends with the picture. */
export interface EvidencePage {
  mediaType: 'image/png' | 'image/jpeg';
  /** Size of the whole picture. */
  bytes: number;
  data: string;
}
