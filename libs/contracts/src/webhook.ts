import type { Caller } from './caller';
import type { StartReply } from './start';
import { rpc } from './subject';

/**
 * Response modes of an origin, as the API spells them (contract 3.3). `Imediata`: the caller gets the instance id once the start is accepted.
 * `Aguardar`: the caller waits for the answer of the process.
 */
export const RESPONSE_MODES = ['Imediata', 'Aguardar'] as const;
export type ResponseMode = (typeof RESPONSE_MODES)[number];

/** A payload field that fills a variable: a JSON Pointer over `{...body, _query, _headers}` (interpretation 25). */
export interface MappingEntry {
  pointer: string;
  /** The variable's stable id: a rename keeps the mapping (contract 2.10). */
  variableId: string;
}

/** The saved mapping of one origin, copied when a version is published; the column `process_version.mappings` is a list of these. */
export interface PublishedMapping {
  originID: string;
  entries: MappingEntry[];
}

/**
 * Calls must carry an HMAC-SHA-256 of their body in this header: as `sha256=<hex>` (GitHub), as plain hexadecimal or base64, as
 * `t=<seconds>,v1=<hex>` over `<t>.<body>` (Stripe), as `v0=<hex>` over `v0:<timestamp>:<body>` (Slack, Zoom), or as `v1,<base64>` over
 * `<id>.<timestamp>.<body>` (Standard Webhooks).
 */
export interface SignatureRule {
  header: string;
  /**
   * How far the timestamp, which calls must then have, may be from now, to either side. null = any or no timestamp; in the forms of Slack (`v0=`) and
   * Standard Webhooks (`v1,`), which always have one: 300.
   */
  toleranceSeconds: number | null;
}

/** A source of webhook calls of a process, with two URLs (contract 2.10). */
export interface Origin {
  id: string;
  processID: string;
  name: string;
  responseMode: ResponseMode;
  /** How long a call in the mode `Aguardar` waits for the answer at most, 1 to 120. */
  waitSeconds: number;
  /** Whether calls are taken; while false, both URLs refuse them with WEBHOOK_DISABLED. */
  enabled: boolean;
  /** null when calls need no signature; the secret is never returned. */
  signature: SignatureRule | null;
  /** The token of the development URL `/v1/hooks/<processID>/<token>`; `prodToken` is that of the production URL. */
  devToken: string;
  prodToken: string;
  /** ISO 8601 UTC. */
  createdAt: string;
}

/** The fields of an origin that people set; the console has checked their types. `signature: null` removes the rule. */
export interface OriginDraft {
  name: string;
  responseMode: ResponseMode;
  waitSeconds: number;
  enabled: boolean;
  signature: (SignatureRule & { secret: string }) | null;
}

/**
 * The three states of an origin's mapping; `unsaved` is the draft, and null when there are no unsaved changes. `published` is that of the published
 * version, empty without one and for an origin that is newer.
 */
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
  /** Size of the body as received. */
  bytes: number;
  /** The body is above 100 KB: only its beginning is stored, and it cannot be mapped (contract 4.17). */
  truncated: boolean;
}

/**
 * A capture with its payload. Shown as `«•••»` are values mapped to a Secreto, values of headers and query parameters whose names suggest a
 * secret, and the header of the signature.
 */
export interface Capture extends CaptureSummary {
  /** The payload tree `{...body, _query, _headers}`; absent when the body is truncated or nested too deeply. */
  payload?: unknown;
  /** The body as text; present when `payload` does not contain the body. */
  text?: string;
}

/** One value of a preview: the value that a mapping gives to a variable, or why it gives none. */
export interface PreviewedValue {
  variableId: string;
  /** The variable's name; missing when the variable was deleted. */
  name?: string;
  pointer: string;
  /** The converted value; a Secreto and a masked value are shown as `«•••»`. Missing when one of the fields below says why. */
  value?: unknown;
  /** The payload lacks the field or has null: the variable keeps its default (interpretation 26). */
  absent?: true;
  /** Why a start with this value would be refused; of a deleted variable, that a start leaves it out. */
  refusal?: string;
  /** Whether the value is omitted because the preview has reached its maximum size. */
  omitted?: true;
}

export interface Preview {
  /** The result of the draft mapping, or of the saved mapping when there is no draft. */
  draft: PreviewedValue[];
  published: PreviewedValue[];
}

/** One call of a webhook URL; the gateway has authorized its token. */
export interface HookCall {
  originID: string;
  processID: string;
  /** Base64 of the received bytes: the signature is over them. */
  body: string;
  contentType?: string;
  /** The raw query without the question mark. */
  query: string;
  /** Keys are header names in lower case; repeated headers are joined with commas. */
  headers: Record<string, string>;
  /** Whether the origin requires a signature. */
  signed: boolean;
}

/** A call of a production URL. `instanceID` makes it idempotent: a call that is sent twice starts one instance. */
export interface HookStart extends HookCall {
  instanceID: string;
  /** Epoch milliseconds of the database's clock; after this time nothing is started. */
  deadline: number;
  /** As in `StartRequest`. */
  resent?: true;
  /**
   * Time at which the gateway received the call, in epoch milliseconds of the gateway's own clock; the age of its signature is counted to
   * this time. Absent = a gateway of the previous release.
   */
  calledAt?: number;
  /** The name of the origin, which becomes the instance's `userName` (interpretation 10). */
  originName: string;
  /** The version that was published when the call was authorized; null when there is none. */
  versionID: string | null;
  /** Calls of the origin with the same key within 24 hours start one instance. */
  idempotencyKey?: string;
  /** The origin's mode is `Aguardar`: the caller waits for the process's answer. */
  awaited?: true;
}

/** A start with the payload of a capture, and the account that requested it; `deadline` and `resent` as in `StartRequest`. */
export interface CaptureStart {
  captureID: string;
  instanceID: string;
  deadline: number;
  resent?: true;
  /** `userName` is shown as the starter of a debug run; a replay shows the name of the origin. */
  by: Caller & { userName: string; executor: string };
  /** The environment in which a debug run runs; absent = the environment of the process. */
  environmentID?: string;
}

/** Duration of a lease of permits for waiting calls, on the database's clock; each acquisition and renewal extends the lease. */
export const PERMIT_LEASE_SECONDS = 10;

/** The gateway replica that leases permits for its waiting calls. */
export interface PermitHolder {
  /** A new UUID for each start of the replica. */
  holder: string;
  /** Increases with each request of the holder: a request overtaken by a later one about the same process has no effect. */
  turn: number;
}

export interface PermitRequest extends PermitHolder {
  processID: string;
  /** Number of permits to add to those the holder has. */
  want: number;
}

/** The permits that the holder keeps, by process; in this message they are named `places`. */
export interface PermitRenewal extends PermitHolder {
  places: { processID: string; count: number }[];
}

/**
 * Who changes something. The webhook service checks the right of this account again, and throws what `lockPermission` of the catalog throws; for
 * an existing origin NOT_FOUND in place of PROCESS_NOT_FOUND. A request of the previous release has no account, and is not checked again.
 */
export type OnBehalf = Partial<Caller>;

export const webhook = {
  /** Oldest first. */
  origins: rpc<{ processID: string }, { origins: Origin[] }>('webhook.origins'),
  /** Throws CONFLICT when the process has the maximum number of origins, QUOTA_EXCEEDED, and BAD_REQUEST for an unusable signature rule. */
  createOrigin: rpc<{ processID: string; draft: OriginDraft } & OnBehalf, Origin>('webhook.create-origin'),
  /** Finds an origin by its id or the id of one of its captures. Throws NOT_FOUND. The console checks whether the account may see it. */
  origin: rpc<{ id: string } | { captureID: string }, Origin>('webhook.origin'),
  changeOrigin: rpc<{ id: string; change: Partial<OriginDraft> } & OnBehalf, Origin>('webhook.change-origin'),
  /** Deletes the origin with its URLs, its draft and saved mapping, and its captures. */
  removeOrigin: rpc<{ id: string } & OnBehalf, { ok: true }>('webhook.remove-origin'),
  /** Gives an origin a new development or production URL; the old URL stops working at once (contract 5 rule 6). */
  rotate: rpc<{ id: string; url: 'dev' | 'prod' } & OnBehalf, Origin>('webhook.rotate'),
  mapping: rpc<{ id: string }, Mapping>('webhook.mapping'),
  /**
   * Replaces the draft; entries that equal the saved mapping remove it. Throws BAD_REQUEST, for example for a malformed pointer, an unknown
   * variable, or a variable that is mapped twice.
   */
  draftMapping: rpc<{ id: string; entries: MappingEntry[] } & OnBehalf, Mapping>('webhook.draft-mapping'),
  /**
   * Makes the draft the saved mapping; the published version keeps its own. Also redacts the stored captures where values are now mapped to a
   * Secreto.
   */
  saveMapping: rpc<{ id: string } & OnBehalf, Mapping>('webhook.save-mapping'),
  /** The captures of an origin, newest first; at most ten, because a new one replaces the oldest. */
  captures: rpc<{ id: string }, { captures: CaptureSummary[] }>('webhook.captures'),
  removeCaptures: rpc<{ id: string } & OnBehalf, { removed: number }>('webhook.remove-captures'),
  findCapture: rpc<{ captureID: string }, Capture>('webhook.find-capture'),
  removeCapture: rpc<{ captureID: string } & OnBehalf, { ok: true }>('webhook.remove-capture'),
  /**
   * The values that the mappings take from a capture; starts nothing. Throws NOT_FOUND, CONFLICT for a truncated capture, and BAD_REQUEST for a
   * capture of an earlier release with a refused name.
   */
  preview: rpc<{ captureID: string }, Preview>('webhook.preview'),
  /** Starts the flow in development with the draft mapping, else the saved one, and without Secreto values. Throws as `preview` and a start do. */
  debug: rpc<CaptureStart, StartReply>('webhook.debug'),
  /**
   * Starts the published version with its mapping, as a call of the production URL would, but without a waiting caller and without values of which
   * the capture has masked anything. Throws as `preview` and a start do.
   */
  replay: rpc<CaptureStart, StartReply>('webhook.replay'),

  /** Stores the payload of a call of a development URL. */
  capture: rpc<HookCall, { captured: true; captureId: string }>('webhook.capture'),
  /**
   * For the gateway: starts the published version with the payload of a call of a production URL. The webhook service
   * maps the payload and asks execution to accept the start.
   */
  start: rpc<HookStart, StartReply>('webhook.start'),
  /** Grants `want` permits, or fewer when the limit of the process allows no more (contract 8); none for a process without an origin. */
  acquirePermits: rpc<PermitRequest, { granted: number }>('webhook.wait'),
  /**
   * Renews the lease of the permits that the holder keeps and frees its others. `gone` = processes of which the holder has lost all permits,
   * because their lease had ended, or had fewer permits than the holder keeps.
   */
  renewPermits: rpc<PermitRenewal, { gone: string[] }>('webhook.keep'),
};
