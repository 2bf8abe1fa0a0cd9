import type { Store } from '@batuta/database';
import type { KeyRing } from '@batuta/secrets';
import type { Launch } from './decision';

export interface Accepted {
  launch: Launch;
  status: 'started' | 'queued';
}

/** What is sealed of an instance until it ends: its values, under the instance's own id. */
export function inputContext(instanceID: string): string {
  return `instance:${instanceID}`;
}

/** Leaves accepted starts for the commit: instance, sealed input and audit rows, three statements whatever their number. */
export function writeAccepted(
  tx: Store,
  accepted: Accepted[],
  { now, keys, requestIDs }: { now: Date; keys: KeyRing; requestIDs: Map<string, string> },
): void {
  if (accepted.length === 0) return;
  tx.atCommit(
    `INSERT INTO instance (instance_id, process_id, process_name, owner_account_id, company_id, starter_account_id,
       environment_id, version_id, version, trigger_kind, user_name, executor, request_id, status, accepted_as,
       accepted_at) VALUES ?`,
    [
      accepted.map(({ launch: { request, facts, versionID, environment }, status }) => [
        request.instanceID,
        facts.processID,
        facts.processName,
        facts.ownerAccountID,
        facts.companyID,
        request.trigger.accountID,
        environment.environmentID,
        versionID,
        facts.version,
        request.trigger.kind,
        request.trigger.userName,
        request.trigger.executor,
        requestIDs.get(request.instanceID) ?? '',
        'queued',
        status,
        now,
      ]),
    ],
  );
  tx.atCommit('INSERT INTO instance_input (instance_id, sealed) VALUES ?', [
    accepted.map(({ launch: { request, matrix } }) => [
      request.instanceID,
      keys.seal(JSON.stringify(matrix), inputContext(request.instanceID)),
    ]),
  ]);
  tx.atCommit(
    'INSERT INTO audit_event (process_id, instance_id, account_id, action, executor, detail, created_at) VALUES ?',
    [
      accepted.map(({ launch: { request, facts, environment }, status }) => [
        facts.processID,
        request.instanceID,
        request.trigger.accountID,
        'start',
        request.trigger.executor,
        JSON.stringify({
          trigger: request.trigger.kind,
          userName: request.trigger.userName,
          environmentID: environment.environmentID,
          version: facts.version,
          acceptedAs: status,
        }),
        now,
      ]),
    ],
  );
}
