import type { StartReply } from './execution';
import { rpc } from './subject';

/** Contract 3.3, as the API spells them. */
export const RESPONSE_MODES = ['Imediata', 'Aguardar'] as const;
export type ResponseMode = (typeof RESPONSE_MODES)[number];

/** A payload field that fills a variable: a JSON Pointer over `{...body, _query, _headers}` (interpretation 25). */
export interface MappingEntry {
  pointer: string;
  /** The variable's stable id: a rename keeps the mapping (contract 2.10). */
  variableId: string;
}

/** The saved mapping of one origin, as a version freezes it: what `process_version.mappings` is a list of. */
export interface PublishedMapping {
  originID: string;
  entries: MappingEntry[];
}

/**
 * Calls must carry an HMAC-SHA-256 over their body in this header, as `sha256=<hex>` (GitHub), bare in hexadecimal or
 * base64, or as `t=<seconds>,v1=<hex>` over `<t>.<body>` (Stripe). `toleranceSeconds` = how old a timestamp may be; with
 * it, a timestamp must be there.
 */
export interface SignatureRule {
  header: string;
  toleranceSeconds: number | null;
}

/** Contract 2.10. */
export interface Origin {
  id: string;
  processID: string;
  name: string;
  responseMode: ResponseMode;
  /** 1 to 120; of `Aguardar`. */
  waitSeconds: number;
  enabled: boolean;
  /** null when none is asked for; the secret is never told. */
  signature: SignatureRule | null;
  /** Tokens of the two URLs: `/v1/hooks/<processID>/<token>`. */
  devToken: string;
  prodToken: string;
  /** ISO 8601 UTC. */
  createdAt: string;
}

/** What an owner sets of an origin, its shape checked. `signature: null` asks for none any more. */
export interface OriginDraft {
  name: string;
  responseMode: ResponseMode;
  waitSeconds: number;
  enabled: boolean;
  signature: (SignatureRule & { secret: string }) | null;
}

/** The three states of an origin's mapping; `unsaved` is null when there is nothing to save. */
export interface Mapping {
  unsaved: MappingEntry[] | null;
  saved: MappingEntry[];
  published: MappingEntry[];
}

export interface CaptureSummary {
  id: string;
  originID: string;
  processID: string;
  /** ISO 8601 UTC. */
  capturedAt: string;
  /** Of the body as it came. */
  bytes: number;
  /** Above 100 KB: only its beginning is kept, and it cannot be mapped (contract 4.17). */
  truncated: boolean;
}

/** A capture with its content, what is mapped to a Secreto shown as `«•••»`. */
export interface Capture extends CaptureSummary {
  /** The payload tree `{...body, _query, _headers}`; absent when it is truncated or nested too deeply to be shown. */
  payload?: unknown;
  /** The text of the body where the tree does not show it. */
  text?: string;
}

/** One value of a preview: what a mapping gives a variable, or why it would be refused. */
export interface PreviewedValue {
  variableId: string;
  /** Absent when the variable was deleted. */
  name?: string;
  pointer: string;
  /** The converted value; a Secreto shows as `«•••»`. Absent when the payload lacks the field or it was refused. */
  value?: unknown;
  /** The payload has no such field: the variable keeps its default (interpretation 26). */
  absent?: true;
  refusal?: string;
  /** The preview has grown too large: the value is left out. */
  omitted?: true;
}

export interface Preview {
  /** By the unsaved mapping, or the saved one where nothing is unsaved. */
  draft: PreviewedValue[];
  published: PreviewedValue[];
}

/** One call of a webhook URL, its token and its right to be taken checked already. */
export interface HookCall {
  originID: string;
  processID: string;
  /** Base64 of the bytes as they came: a signature is over them. */
  body: string;
  contentType?: string;
  /** The query as it came, without the question mark. */
  query: string;
  /** By lower-case name, as Node joins them. */
  headers: Record<string, string>;
  /** The origin asks for a signature. */
  signed: boolean;
}

/** A start as the gateway asks for it: sent twice with the same `instanceID`, it starts once. */
export interface HookStart extends HookCall {
  instanceID: string;
  /** Epoch milliseconds; past it nothing is started. */
  deadline: number;
  resent?: true;
  /** Shown as `userName` (interpretation 10). */
  originName: string;
  /** The version whose mapping applies; null when nothing is published. */
  versionID: string | null;
  idempotencyKey?: string;
  /** The origin's mode is `Aguardar`: the process's answer is wanted. */
  awaited?: true;
}

/** Who starts something from a capture, as execution records it. */
export interface CaptureStart {
  captureID: string;
  instanceID: string;
  deadline: number;
  resent?: true;
  by: { accountID: string; userName: string; executor: string };
}

/** How long a holder keeps its places, on the database's clock, when nothing more is heard of it. */
export const PLACE_LEASE_SECONDS = 10;

/** A replica of the gateway, which holds places of waiting calls and hands them from one call to the next. */
export interface PlaceHolder {
  /** Minted at its start. */
  holder: string;
  /** Greater with each of its requests: one that arrives after a later one about the same process does nothing. */
  turn: number;
}

export interface PlacesAsked extends PlaceHolder {
  processID: string;
  want: number;
}

export interface PlacesKept extends PlaceHolder {
  places: { processID: string; count: number }[];
}

export const webhook = {
  /** In the order of their creation. */
  origins: rpc<{ processID: string }, { origins: Origin[] }>('webhook.origins'),
  /** CONFLICT when the process has as many as it may. */
  createOrigin: rpc<{ processID: string; draft: OriginDraft }, Origin>('webhook.create-origin'),
  /** By its id or that of one of its captures. NOT_FOUND; who may see it is the asker's business. */
  origin: rpc<{ id: string } | { captureID: string }, Origin>('webhook.origin'),
  changeOrigin: rpc<{ id: string; change: Partial<OriginDraft> }, Origin>('webhook.change-origin'),
  removeOrigin: rpc<{ id: string }, { ok: true }>('webhook.remove-origin'),
  /** The old URL stops at once (contract 5 rule 6). */
  rotate: rpc<{ id: string; url: 'dev' | 'prod' }, Origin>('webhook.rotate'),
  mapping: rpc<{ id: string }, Mapping>('webhook.mapping'),
  /** Throws BAD_REQUEST naming the entry: a malformed pointer, an unknown variable, one that is mapped twice. */
  draftMapping: rpc<{ id: string; entries: MappingEntry[] }, Mapping>('webhook.draft-mapping'),
  /** Also redacts captures of what is now mapped to a Secreto. */
  saveMapping: rpc<{ id: string }, Mapping>('webhook.save-mapping'),
  /** Newest first. */
  captures: rpc<{ id: string }, { captures: CaptureSummary[] }>('webhook.captures'),
  removeCaptures: rpc<{ id: string }, { removed: number }>('webhook.remove-captures'),
  findCapture: rpc<{ captureID: string }, Capture>('webhook.find-capture'),
  removeCapture: rpc<{ captureID: string }, { ok: true }>('webhook.remove-capture'),
  /** CONFLICT for a capture that cannot be mapped. */
  preview: rpc<{ captureID: string }, Preview>('webhook.preview'),
  /** Runs the development version, without Secreto values. */
  debug: rpc<CaptureStart, StartReply>('webhook.debug'),
  /** Starts the published version with the published mapping, as the call itself would have. */
  replay: rpc<CaptureStart, StartReply>('webhook.replay'),

  /** Stores the payload of a development URL. */
  capture: rpc<HookCall, { captured: true; captureId: string }>('webhook.capture'),
  start: rpc<HookStart, StartReply>('webhook.start'),
  /** Asks for so many places more; fewer are granted, or none, when the others are taken (contract 8). */
  wait: rpc<PlacesAsked, { granted: number }>('webhook.wait'),
  /** What the holder keeps of its places, for another lease: the others are free. `gone` = processes whose it holds no more. */
  keep: rpc<PlacesKept, { gone: string[] }>('webhook.keep'),
};
