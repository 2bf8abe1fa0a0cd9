import { randomUUID } from 'node:crypto';
import * as s from '../../../support/shape';
import type { Process } from '../tenants/factories';

// Creates origins through the management API and calls their URLs as external senders do.

const CALL_TIME_LIMIT_MS = 180_000;

const originBodyShape = s.object({ id: s.text(), devUrl: s.url, prodUrl: s.url });
const matrixBodyShape = s.object({ matrix: s.list(s.object({ id: s.text(), name: s.text() })) });
const captureListBodyShape = s.object({ captures: s.list(s.object({ id: s.text() })) });
const capturedBodyShape = s.exactObject({ captured: s.exactly(true), captureId: s.uuid });

export interface Origin {
  id: string;
  devUrl: string;
  prodUrl: string;
  process: Process;
}

export interface WebhookResponse {
  status: number;
  /** Parsed JSON; webhook URLs answer with nothing else. */
  body: unknown;
  headers: Headers;
  /** `X-Instance-Id`; empty when there is none. */
  instanceID: string;
  /** Milliseconds from the call to the end of the answer. */
  milliseconds: number;
}

/** Variable name → JSON pointer. */
export type Pointers = Record<string, string>;

/** Creates an origin; saves and publishes its mapping, if any. `settings` are fields of `POST origins`. */
export async function makeOrigin(
  process: Process,
  { mapping = {}, ...settings }: { mapping?: Pointers; [setting: string]: unknown } = {},
): Promise<Origin> {
  const body = { name: `Origin ${randomUUID().slice(-12)}`, responseMode: 'Imediata', waitSeconds: 30, ...settings };
  const made = await process.owner.manage('POST', `/processes/${process.processID}/origins`, body);
  const origin = { ...originBodyShape.parse(made), process };
  if (Object.keys(mapping).length > 0) await publishMapping(origin, mapping);
  return origin;
}

/** Stores the draft of a mapping. `mapping` has names of variables; a name without a variable is sent as an id. */
export async function draftMapping({ id, process }: Origin, mapping: Pointers): Promise<void> {
  const { owner, processID } = process;
  const { matrix } = matrixBodyShape.parse(await owner.manage('GET', `/processes/${processID}/matrix`));
  const entries = Object.entries(mapping).map(([name, pointer]) => ({
    pointer,
    variableId: matrix.find((variable) => variable.name === name)?.id ?? name,
  }));
  await owner.manage('PUT', `/origins/${id}/mapping/draft`, entries);
}

/** Stores the mapping as draft and saves it, so that debug runs use it. */
export async function saveMapping(origin: Origin, mapping: Pointers): Promise<void> {
  await draftMapping(origin, mapping);
  await origin.process.owner.manage('POST', `/origins/${origin.id}/mapping/save`);
}

/** Saves the mapping and publishes it with a new version of the process. */
export async function publishMapping(origin: Origin, mapping: Pointers): Promise<void> {
  await saveMapping(origin, mapping);
  await origin.process.owner.manage('POST', `/processes/${origin.process.processID}/publish`);
}

/** Rotates a URL of the origin and returns the new one. */
export async function rotateURL({ id, process }: Origin, url: 'dev' | 'prod'): Promise<string> {
  const answer = await process.owner.manage('POST', `/origins/${id}/rotate`, { url });
  return s.url.parse(s.dictionary(s.anything).parse(answer)[`${url}Url`]);
}

/** Sends an event: strings and bytes unchanged, undefined as no body, everything else as JSON. Rejects without a JSON answer within three minutes. */
export async function sendEvent(
  url: string,
  body?: unknown,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<WebhookResponse> {
  const raw = typeof body === 'string' || body instanceof Uint8Array || body === undefined;
  const began = performance.now();
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    body: raw ? body : JSON.stringify(body),
    signal: AbortSignal.any([AbortSignal.timeout(CALL_TIME_LIMIT_MS), ...(signal ? [signal] : [])]),
  });
  const text = await response.text();
  const answer: unknown = JSON.parse(text);
  return {
    status: response.status,
    body: answer,
    headers: response.headers,
    instanceID: response.headers.get('x-instance-id') ?? '',
    milliseconds: performance.now() - began,
  };
}

/** The capture id in the answer of a development URL; throws when the call was refused. */
export function captureIDOf({ status, body }: WebhookResponse): string {
  if (capturedBodyShape.matches(body)) return body.captureId;
  throw new Error(`The capture was refused: ${status} ${JSON.stringify(body)}`);
}

/** Capture ids of the origin, newest first. */
export async function captureIDsOf({ id, process }: Origin): Promise<string[]> {
  const listed = await process.owner.manage('GET', `/origins/${id}/captures`);
  return captureListBodyShape.parse(listed).captures.map((one) => one.id);
}

/** The URL at another base, such as that of a second gateway; its query is dropped. */
export function viaBaseURL(base: string, url: string): string {
  return new URL(new URL(url).pathname, base).href;
}
