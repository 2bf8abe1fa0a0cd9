import { randomUUID } from 'node:crypto';
import * as s from '../../support/shape';
import type { Process } from './factories';

// Webhook origins as their owners make them, and calls of their URLs as strange systems make them.

const PATIENCE_MS = 180_000;

const originBody = s.object({ id: s.text(), devUrl: s.url, prodUrl: s.url });
const matrixBody = s.object({ matrix: s.list(s.object({ id: s.text(), name: s.text() })) });
const captureList = s.object({ captures: s.list(s.object({ id: s.text() })) });
const captured = s.exactObject({ captured: s.exactly(true), captureId: s.uuid });

export interface Origin {
  id: string;
  devUrl: string;
  prodUrl: string;
  process: Process;
}

export interface HookAnswer {
  status: number;
  /** Parsed JSON: an answer of this route is never anything else. */
  body: unknown;
  headers: Headers;
  /** `X-Instance-Id`; empty when there is none. */
  instanceID: string;
  /** From the call to the whole answer. */
  milliseconds: number;
}

/** JSON pointer by the name of the variable that it fills. */
export type Pointers = Record<string, string>;

/** With its mapping saved and published. `settings` are those of `POST origins`. */
export async function makeOrigin(
  process: Process,
  { mapping = {}, ...settings }: { mapping?: Pointers; [setting: string]: unknown } = {},
): Promise<Origin> {
  const body = { name: `Origin ${randomUUID().slice(-12)}`, responseMode: 'Imediata', waitSeconds: 30, ...settings };
  const made = await process.owner.manage('POST', `/processes/${process.processID}/origins`, body);
  const origin = { ...originBody.parse(made), process };
  if (Object.keys(mapping).length > 0) await publishMapping(origin, mapping);
  return origin;
}

export async function draftMapping({ id, process }: Origin, mapping: Pointers): Promise<void> {
  const { owner, processID } = process;
  const { matrix } = matrixBody.parse(await owner.manage('GET', `/processes/${processID}/matrix`));
  const entries = Object.entries(mapping).map(([name, pointer]) => ({
    pointer,
    variableId: matrix.find((variable) => variable.name === name)?.id ?? name,
  }));
  await owner.manage('PUT', `/origins/${id}/mapping/draft`, entries);
}

export async function saveMapping(origin: Origin, mapping: Pointers): Promise<void> {
  await draftMapping(origin, mapping);
  await origin.process.owner.manage('POST', `/origins/${origin.id}/mapping/save`);
}

export async function publishMapping(origin: Origin, mapping: Pointers): Promise<void> {
  await saveMapping(origin, mapping);
  await origin.process.owner.manage('POST', `/processes/${origin.process.processID}/publish`);
}

/** A new URL in place of the old one. */
export async function rotate({ id, process }: Origin, url: 'dev' | 'prod'): Promise<string> {
  const answer = await process.owner.manage('POST', `/origins/${id}/rotate`, { url });
  return s.url.parse(s.dictionary(s.anything).parse(answer)[`${url}Url`]);
}

/** An event as a strange system sends it: JSON unless it is text or bytes already. */
export async function send(
  url: string,
  body?: unknown,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<HookAnswer> {
  const raw = typeof body === 'string' || body instanceof Uint8Array || body === undefined;
  const began = performance.now();
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    body: raw ? body : JSON.stringify(body),
    signal: AbortSignal.any([AbortSignal.timeout(PATIENCE_MS), ...(signal ? [signal] : [])]),
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

/** The id of the capture that a call of a development URL made; throws when it was refused. */
export function captureOf({ status, body }: HookAnswer): string {
  if (captured.matches(body)) return body.captureId;
  throw new Error(`The capture was refused: ${status} ${JSON.stringify(body)}`);
}

/** Newest first. */
export async function capturesOf({ id, process }: Origin): Promise<string[]> {
  const listed = await process.owner.manage('GET', `/origins/${id}/captures`);
  return captureList.parse(listed).captures.map((one) => one.id);
}

/** The same URL by another base address, such as that of a second gateway. */
export function through(base: string, url: string): string {
  return new URL(new URL(url).pathname, base).href;
}
