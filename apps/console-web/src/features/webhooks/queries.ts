import { queryOptions } from '@tanstack/react-query';
import { answerTo, api } from '../../api/client';
import { CallError } from '../../api/error';
import type {
  MappingEntryInput,
  OriginAnswer,
  OriginChange,
  OriginInput,
  Rotation,
} from '../../api/generated/console-api';

/** Interval at which captures are read again while the page is visible. */
const REFRESH_INTERVAL_MS = 2_000;

/** The `all…` keys are prefixes, for invalidating every query of the kind. */
export const webhookKeys = {
  origins: (pid: string) => ['webhooks', 'origins', pid] as const,
  allMappings: ['webhooks', 'mapping'] as const,
  mapping: (oid: string) => ['webhooks', 'mapping', oid] as const,
  captures: (oid: string) => ['webhooks', 'captures', oid] as const,
  allPayloads: ['webhooks', 'capture'] as const,
  payload: (cid: string) => ['webhooks', 'capture', cid] as const,
  allPreviews: ['webhooks', 'preview'] as const,
  preview: (cid: string) => ['webhooks', 'preview', cid] as const,
};

const pathOf = (id: string) => ({ path: { id } });

/**
 * Webhook URLs are secrets and payloads may contain secrets, so both are removed from memory when the user leaves their
 * page.
 */
const NOT_CACHED = { gcTime: 0 };

const readOrigins = async (pid: string, signal?: AbortSignal) =>
  (await answerTo(api.GET('/manage/v1/processes/{pid}/origins', { params: { path: { pid } }, signal }))).origins;

/** All origins of a process with their URLs, oldest first, also those that are switched off. */
export const originsQuery = (pid: string) =>
  queryOptions({
    ...NOT_CACHED,
    queryKey: webhookKeys.origins(pid),
    queryFn: ({ signal }) => readOrigins(pid, signal),
  });

/** Throws CallError with status 404 when the process has no such origin. */
export async function readOrigin(pid: string, oid: string): Promise<OriginAnswer> {
  const found = (await readOrigins(pid)).find(({ id }) => id === oid);
  if (!found) throw new CallError(404, 'NOT_FOUND', '');
  return found;
}

/** The mapping of an origin in its three states: unsaved, saved and published. */
export const mappingQuery = (oid: string) =>
  queryOptions({
    queryKey: webhookKeys.mapping(oid),
    queryFn: ({ signal }) => answerTo(api.GET('/manage/v1/origins/{id}/mapping', { params: pathOf(oid), signal })),
  });

/** The captures that the console still has of an origin, the newest first, as they arrive. */
export const originCapturesQuery = (oid: string) =>
  queryOptions({
    queryKey: webhookKeys.captures(oid),
    refetchInterval: REFRESH_INTERVAL_MS,
    queryFn: async ({ signal }) =>
      (await answerTo(api.GET('/manage/v1/origins/{id}/captures', { params: pathOf(oid), signal }))).captures,
  });

/** A capture with its payload, in which values that are mapped to a Secreto are masked. */
export const captureQuery = (cid: string) =>
  queryOptions({
    ...NOT_CACHED,
    queryKey: webhookKeys.payload(cid),
    queryFn: ({ signal }) => answerTo(api.GET('/manage/v1/captures/{id}', { params: pathOf(cid), signal })),
  });

/** The values that a capture gives each variable, by the draft and by the published mapping; starts nothing. */
export const mappingPreviewQuery = (cid: string) =>
  queryOptions({
    ...NOT_CACHED,
    queryKey: webhookKeys.preview(cid),
    queryFn: ({ signal }) => answerTo(api.GET('/manage/v1/captures/{id}/preview', { params: pathOf(cid), signal })),
  });

/** Adds an origin with its two URLs. CONFLICT when the process has 10. */
export const addOrigin = (pid: string, body: OriginInput) =>
  answerTo(api.POST('/manage/v1/processes/{pid}/origins', { params: { path: { pid } }, body }));

/** Changes the given settings at once; a signature rule is replaced as a whole. An origin that is switched off refuses the calls of both URLs. */
export const changeOrigin = (oid: string, body: OriginChange) =>
  answerTo(api.PATCH('/manage/v1/origins/{id}', { params: pathOf(oid), body }));

/** Deletes an origin with its URLs, mapping and captures. */
export const removeOrigin = (oid: string) => answerTo(api.DELETE('/manage/v1/origins/{id}', { params: pathOf(oid) }));

/** Replaces the development or production URL of an origin; the old URL stops working at once. */
export const rotateURL = (oid: string, url: Rotation['url']) =>
  answerTo(api.POST('/manage/v1/origins/{id}/rotate', { params: pathOf(oid), body: { url } }));

/** Replaces the whole draft of the mapping. Until it is saved the process cannot be published. */
export const putMappingDraft = (oid: string, body: MappingEntryInput[]) =>
  answerTo(api.PUT('/manage/v1/origins/{id}/mapping/draft', { params: pathOf(oid), body }));

/** Makes the draft the saved mapping, which the next published version takes over; removes the fields that fill Secretos from the captures. */
export const saveMapping = (oid: string) =>
  answerTo(api.POST('/manage/v1/origins/{id}/mapping/save', { params: pathOf(oid) }));

/** Deletes a capture. The mapping of its origin stays. */
export const removeCapture = (cid: string) => answerTo(api.DELETE('/manage/v1/captures/{id}', { params: pathOf(cid) }));

/**
 * Starts a debug run of the saved flow with a capture, by the unsaved mapping, or by the saved one when nothing is unsaved, without Secretos; costs
 * no credit.
 */
export const debugCapture = (cid: string) =>
  answerTo(api.POST('/manage/v1/captures/{id}/debug', { params: pathOf(cid) }));

/** Starts the published version with a capture, by the published mapping; costs a credit. Masked values of the capture are not sent. */
export const replayCapture = (cid: string) =>
  answerTo(api.POST('/manage/v1/captures/{id}/replay', { params: pathOf(cid) }));
