import { BatchTooLarge } from '@batuta/catalog';
import { storedExecutor, type StartReply, type StartRequest } from '@batuta/contracts';
import { isDuplicate, type Store } from '@batuta/database';
import type { KeyRing } from '@batuta/secrets';
import { MAX_KEPT_CHARACTERS, hasFilledSecret, sealValues, withNullSecrets } from '../instances/kept-values';
import { NO_VERSION, sealInput } from '../instances/sealed-input';
import { writeShareEvents } from '../instances/share-event.repository';
import { INITIAL_STATUS, statusSetBy } from '../instances/transition';
import type { AcceptedAs, DecidedStart, MatchedStart } from './decision';

export interface AcceptedStart {
  start: MatchedStart;
  /** Request id of the start, for log lines. */
  requestID: string;
  status: AcceptedAs;
}

/** Fence of an instance that is accepted and claimed in one transaction: an instance begins with 0, and each claim adds 1. */
export const FIRST_FENCE = 1;
const CLAIMED_STATUS = statusSetBy('claim');

/**
 * Maximum bytes of sealed inputs in a transaction of several starts; a larger batch is split in halves. A single start
 * may exceed it.
 */
const MAX_TRANSACTION_BYTES = 8 * 1024 * 1024;

/**
 * Maximum bytes of sealed inputs in one statement, because the text of the statement has two characters for each byte.
 * The input of a single start may exceed it.
 */
const MAX_STATEMENT_BYTES = 1024 * 1024;

/** The replies to requests that were accepted before, by instance id. */
export async function findAccepted(store: Store, requests: StartRequest[]): Promise<Map<string, StartReply>> {
  if (requests.length === 0) return new Map();
  const rows = await store.rows<{ instance_id: string; accepted_as: AcceptedAs }>(
    'SELECT instance_id, accepted_as FROM instance WHERE instance_id IN (?)',
    [requests.map(({ instanceID }) => instanceID)],
  );
  return new Map(rows.map((row) => [row.instance_id, { instanceID: row.instance_id, status: row.accepted_as }]));
}

/**
 * Called before the refusal of a repeated start is thrown: waits until no earlier attempt can still store the start. This holds for a call after the
 * deadline: when it has resolved, the start is stored already, or never will be. An attempt writes its row of `instance_input` before the deadline or
 * never, so an attempt whose COMMIT still hangs has written the row: on one server this INSERT waits for that row, and in a cluster one of the two
 * transactions fails its certification.
 */
export async function preventStart(store: Store, { instanceID }: StartRequest): Promise<void> {
  const prevention = store.transaction(async (tx) => {
    await tx.write('INSERT INTO instance_input (instance_id, sealed) VALUES (?, ?)', [instanceID, Buffer.alloc(0)]);
    await tx.write('DELETE FROM instance_input WHERE instance_id = ?', [instanceID]);
  });
  await prevention.catch((error: unknown) => {
    if (!isDuplicate(error)) throw error;
  });
}

/**
 * Writes accepted starts with the commit: instances, sealed inputs, and audit events with their rows for shares, few statements for any number
 * of starts. `sessions` = the session that claims the instance with its acceptance, by instance id; the other instances are queued. A start
 * whose deadline has passed makes the commit fail (`preventStart`). Throws BatchTooLarge when the inputs of several starts take too much memory.
 */
export function writeAccepted(
  tx: Store,
  accepted: AcceptedStart[],
  { now, keys, sessions }: { now: Date; keys: KeyRing; sessions: ReadonlyMap<string, string> },
): void {
  if (accepted.length === 0) return;
  tx.atCommit(
    `INSERT INTO instance (instance_id, process_id, process_name, owner_account_id, company_id, starter_account_id,
       environment_id, version_id, version, trigger_kind, user_name, executor, request_id, accepted_as,
       awaited, needs, retry_of, traceparent, accepted_at, status, fence, session_id, claimed_at) VALUES ?`,
    [
      accepted.map(({ start: { request, process, flow, environment, needs }, requestID, status }) => [
        request.instanceID,
        process.processID,
        process.processName,
        process.ownerAccountID,
        process.companyID,
        request.trigger.accountID,
        environment.environmentID,
        'versionID' in flow ? flow.versionID : NO_VERSION,
        'versionID' in flow ? flow.version : 0,
        request.trigger.kind,
        request.trigger.userName,
        storedExecutor(request.trigger.executor),
        requestID,
        status,
        request.awaited === true,
        needs,
        request.retryOf ?? null,
        request.traceparent ?? null,
        now,
        ...claimColumns(sessions.get(request.instanceID), now),
      ]),
    ],
  );
  writeInputs(tx, accepted, keys);
  tx.atCommit(
    'INSERT INTO audit_event (process_id, instance_id, account_id, action, executor, detail, created_at) VALUES ?',
    [
      accepted.map(({ start, status }) => [
        start.process.processID,
        start.request.instanceID,
        start.request.trigger.accountID,
        'start',
        storedExecutor(start.request.trigger.executor),
        JSON.stringify(auditDetail(start, status)),
        now,
      ]),
    ],
  );
  writeShareEvents(
    tx,
    accepted.map(({ start: { request, process } }) => ({
      instance_id: request.instanceID,
      owner_account_id: process.ownerAccountID,
      starter_account_id: request.trigger.accountID,
    })),
  );
}

/** The values of the columns status, fence, session and time of the claim; without a session, those of a queued instance. */
function claimColumns(sessionID: string | undefined, now: Date): unknown[] {
  return sessionID === undefined ? [INITIAL_STATUS, 0, null, null] : [CLAIMED_STATUS, FIRST_FENCE, sessionID, now];
}

function writeInputs(tx: Store, accepted: AcceptedStart[], keys: KeyRing): void {
  let bytes = 0;
  const inputs = accepted.map(({ start: { request, matrix, matrixJson, flow } }, index) => {
    const { instanceID, deadline } = request;
    const draft = 'draft' in flow ? flow.draft : undefined;
    const sealed = sealInput(keys, instanceID, { matrix: matrixJson, draft });
    bytes += sealed.length;
    if (index > 0 && bytes > MAX_TRANSACTION_BYTES) throw new BatchTooLarge('The values of the starts are too large');
    const isKept = draft === undefined && matrixJson.length <= MAX_KEPT_CHARACTERS;
    const hidden = isKept && hasFilledSecret(matrix);
    const shown = hidden ? sealValues(keys, instanceID, withNullSecrets(matrix)) : undefined;
    return { instanceID, deadline, sealed, kept: isKept && !hidden, shown };
  });
  for (const chunk of inChunks(inputs)) {
    // A start whose deadline is over gets NULL as its id, so that its row and the whole transaction fail: see
    // preventStart.
    tx.atCommit(
      `INSERT INTO instance_input (instance_id, sealed, kept)
        VALUES ${chunk.map(() => '(IF(UTC_TIMESTAMP(3) <= ?, ?, NULL), ?, ?)').join(', ')}`,
      chunk.flatMap(({ instanceID, deadline, sealed, kept }) => [new Date(deadline), instanceID, sealed, kept]),
    );
  }
  const shown = inputs.flatMap((input) => (input.shown ? [[input.instanceID, input.shown]] : []));
  if (shown.length > 0) tx.atCommit('INSERT INTO instance_values (instance_id, sealed) VALUES ?', [shown]);
}

function inChunks<Item extends { sealed: Buffer }>(items: Item[]): Item[][] {
  const chunks: Item[][] = [];
  let bytes = Infinity;
  for (const item of items) {
    bytes += item.sealed.length;
    if (bytes <= MAX_STATEMENT_BYTES) chunks.at(-1)?.push(item);
    else {
      chunks.push([item]);
      bytes = item.sealed.length;
    }
  }
  return chunks;
}

/**
 * The detail of the audit event: for a webhook's start it names the origin (contract 2.10) and the variables that its
 * mapping fills and that have been deleted (interpretation 26).
 */
function auditDetail(
  { request, environment, flow, skipped }: DecidedStart,
  status: AcceptedAs,
): Record<string, unknown> {
  const { trigger, mapped } = request;
  return {
    trigger: trigger.kind,
    userName: trigger.userName,
    environmentID: environment.environmentID,
    version: 'version' in flow ? flow.version : 0,
    acceptedAs: status,
    ...(mapped && { originID: mapped.originID, captureID: mapped.captureID }),
    ...(skipped.length > 0 && { skippedVariables: skipped }),
  };
}
