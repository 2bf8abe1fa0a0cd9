import type { Store } from '@batuta/database';
import type { KeyRing } from '@batuta/secrets';
import { z } from 'zod';
import type { Launch } from './decision';

export interface Accepted {
  launch: Launch;
  status: 'started' | 'queued';
}

/** Where a version would be: a debug run has its flow with its values. */
export const NO_VERSION = '00000000-0000-0000-0000-000000000000';

const values = z.array(z.object({ name: z.string(), type: z.string(), value: z.unknown() }));
const sealedInput = z.union([
  values.transform((matrix) => ({ matrix, draft: undefined })),
  z.object({ matrix: values, draft: z.string() }),
]);

/** What an instance starts with, kept sealed until it ends; `draft` = the flow of a debug run, as JSON text. */
export type Input = z.output<typeof sealedInput>;

export function openInput(keys: KeyRing, instanceID: string, sealed: Buffer): Input {
  return sealedInput.parse(JSON.parse(keys.unseal(sealed, inputContext(instanceID))));
}

function sealInput(keys: KeyRing, { request: { instanceID }, matrix, flow }: Launch): Buffer {
  const input: z.input<typeof sealedInput> = 'draft' in flow ? { matrix, draft: flow.draft } : matrix;
  return keys.seal(JSON.stringify(input), inputContext(instanceID));
}

/** Under the instance's own id: elsewhere it does not open. */
function inputContext(instanceID: string): string {
  return `instance:${instanceID}`;
}

/**
 * Leaves accepted starts for the commit: instance, sealed input and audit rows, three statements whatever their number.
 * `sessions` = those that are claimed with their acceptance, by instance; the others are queued.
 */
export function writeAccepted(
  tx: Store,
  accepted: Accepted[],
  {
    now,
    keys,
    requestIDs,
    sessions,
  }: { now: Date; keys: KeyRing; requestIDs: Map<string, string>; sessions: Map<string, string> },
): void {
  if (accepted.length === 0) return;
  tx.atCommit(
    `INSERT INTO instance (instance_id, process_id, process_name, owner_account_id, company_id, starter_account_id,
       environment_id, version_id, version, trigger_kind, user_name, executor, request_id, accepted_as,
       awaited, accepted_at, status, fence, session_id, claimed_at) VALUES ?`,
    [
      accepted.map(({ launch: { request, facts, flow, environment }, status }) => [
        request.instanceID,
        facts.processID,
        facts.processName,
        facts.ownerAccountID,
        facts.companyID,
        request.trigger.accountID,
        environment.environmentID,
        'versionID' in flow ? flow.versionID : NO_VERSION,
        'versionID' in flow ? flow.version : 0,
        request.trigger.kind,
        request.trigger.userName,
        request.trigger.executor,
        requestIDs.get(request.instanceID) ?? '',
        status,
        request.awaited === true,
        now,
        ...placeOf(sessions.get(request.instanceID), now),
      ]),
    ],
  );
  const inputs = accepted.map(({ launch }) => ({ id: launch.request.instanceID, sealed: sealInput(keys, launch) }));
  for (const some of inPieces(inputs)) {
    tx.atCommit('INSERT INTO instance_input (instance_id, sealed) VALUES ?', [
      some.map(({ id, sealed }) => [id, sealed]),
    ]);
  }
  tx.atCommit(
    'INSERT INTO audit_event (process_id, instance_id, account_id, action, executor, detail, created_at) VALUES ?',
    [
      accepted.map(({ launch, status }) => [
        launch.facts.processID,
        launch.request.instanceID,
        launch.request.trigger.accountID,
        'start',
        launch.request.trigger.executor,
        JSON.stringify(auditDetail(launch, status)),
        now,
      ]),
    ],
  );
}

/** Status, fence, session and time of the claim. */
function placeOf(sessionID: string | undefined, now: Date): unknown[] {
  return sessionID === undefined ? ['queued', 0, null, null] : ['unknown', 1, sessionID, now];
}

/** Of one statement not more than the server takes: values may have a megabyte each, and bytes are written as two letters. */
const MOST_SEALED = 1024 * 1024;

function inPieces<Item extends { sealed: Buffer }>(items: Item[]): Item[][] {
  const pieces: Item[][] = [];
  let bytes = Infinity;
  for (const item of items) {
    bytes += item.sealed.length;
    if (bytes <= MOST_SEALED) pieces.at(-1)?.push(item);
    else {
      pieces.push([item]);
      bytes = item.sealed.length;
    }
  }
  return pieces;
}

/** A webhook's run names its origin (contract 2.10), and what its mapping could not fill (interpretation 26). */
function auditDetail({ request, environment, flow, skipped }: Launch, acceptedAs: string): Record<string, unknown> {
  const { trigger, mapped } = request;
  return {
    trigger: trigger.kind,
    userName: trigger.userName,
    environmentID: environment.environmentID,
    version: 'version' in flow ? flow.version : 0,
    acceptedAs,
    ...(mapped && { originID: mapped.originID, captureID: mapped.captureID }),
    ...(skipped.length > 0 && { skippedVariables: skipped }),
  };
}
