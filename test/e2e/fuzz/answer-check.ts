import { ERROR_CODES, isErrorCode } from '@batuta/errors';
import * as s from '../../support/shape';
import type { Description, Operation } from './document';
import type { RawAnswer } from './raw-http';

const envelope = s.exactObject({ error: s.exactObject({ code: s.text(), message: s.nonEmptyText }) });

/** Statuses of Node's own server, for requests that never become one; the API has no codes for them. */
const OF_THE_SERVER = [408, 417, 431];

/** Refusals that speak of the world and not of what was sent: the request itself was good. */
const OF_THE_WORLD = [402, 403, 409, 429];

/** Whether the request passed validation: it was done, or refused for the state of the world. */
export function passed({ status }: RawAnswer): boolean {
  return status < 400 || OF_THE_WORLD.includes(status);
}

/** Why the answer is not what every answer has to be; undefined when it is. `twisted` ones may be no such route at all. */
export function complaintAbout(
  { status, headers, body }: RawAnswer,
  { description, operation, twisted }: { description: Description; operation: Operation; twisted: boolean },
): string | undefined {
  if (status >= 500) return `${status}`;
  if (status < 200) return `the status ${status}`;
  if (status >= 400) {
    const complaint = complaintAboutRefusal(status, headers, body);
    if (complaint !== undefined) return complaint;
  }
  if (twisted) return undefined;
  const json = headers['content-type']?.startsWith('application/json') ? JSON.parse(body) : undefined;
  return description.complaint(operation, status, json);
}

/** Why an answer without a description is not what every answer has to be: JSON, and a refusal in the envelope. */
export function complaintAboutAnswer({ status, headers, body }: RawAnswer): string | undefined {
  if (status < 200 || status >= 500) return `the status ${status}: ${body.slice(0, 200)}`;
  if (status >= 400) return complaintAboutRefusal(status, headers, body);
  JSON.parse(body);
  return undefined;
}

function complaintAboutRefusal(status: number, headers: Record<string, string>, body: string): string | undefined {
  if (headers['content-type'] !== 'application/json; charset=utf-8') return `a refusal as ${headers['content-type']}`;
  const parsed: unknown = JSON.parse(body);
  if (!envelope.matches(parsed)) return `no envelope: ${body.slice(0, 200)}`;
  const { code } = parsed.error;
  if (!isErrorCode(code)) return `the unknown code ${code}`;
  if (ERROR_CODES[code].status !== status && !OF_THE_SERVER.includes(status)) return `${code} with ${status}`;
  return undefined;
}
