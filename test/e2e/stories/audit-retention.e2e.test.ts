import { FEED_LAG_SECONDS } from '@batuta/audit';
import type { Store } from '@batuta/database';
import * as s from '../../support/shape';
import { waitUntil } from '../../support/wait-until';
import { openTestStore } from '../support/stack/database';
import { callAsOperator, makeCompany, makeOwner, makeProcess, type Process } from '../support/tenants/factories';
import { startStack } from '../support/stack/in-process-stack';
import { instanceOf } from '../support/tenants/instances';
import type { Stack } from '../support/stack/stack';

// The feed of the audit trail, and the days for which a plan keeps audit events, from the API to the tables of both services.

const feedPage = s.object({
  events: s.list(s.object({ source: s.text(), id: s.text(), action: s.text(), instanceID: s.text().nullable() })),
  next: s.text(),
  more: s.flag,
});
const ledger = s.object({ entries: s.list(s.object({ kind: s.text(), amount: s.number })) });

let stack: Stack;
let store: Store;

beforeAll(async () => {
  stack = await startStack({ env: { RETENTION_SWEEP_MS: '1000', SWEEP_MS: '1000' } });
  store = await openTestStore(stack.env.DATABASE_URL ?? '');
});

afterAll(async () => {
  await store?.close();
  await stack?.stop();
});

/** The id that the event would have if it were `seconds` older: the first 48 bits of an id are its time in milliseconds. */
function olderID(id: string, seconds: number): string {
  const milliseconds = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) - seconds * 1_000;
  const hexadecimal = milliseconds.toString(16).padStart(12, '0');
  return `${hexadecimal.slice(0, 8)}-${hexadecimal.slice(8)}${id.slice(13)}`;
}

/** Makes all audit events and ledger entries of a process and its company older. */
async function makeOlder({ processID, owner }: Process, seconds: number): Promise<void> {
  const { companyID } = owner.company;
  const ids = await store.rows<{ id: string }>('SELECT event_id AS id FROM management_event WHERE company_id = ?', [
    companyID,
  ]);
  for (const { id } of ids) {
    await store.write('UPDATE management_event SET event_id = ? WHERE event_id = ?', [olderID(id, seconds), id]);
  }
  await store.write('UPDATE audit_event SET created_at = created_at - INTERVAL ? SECOND WHERE process_id = ?', [
    seconds,
    processID,
  ]);
  await store.write('UPDATE credit_entry SET created_at = created_at - INTERVAL ? SECOND WHERE company_id = ?', [
    seconds,
    companyID,
  ]);
}

test('the feed of the audit trail has the events of management and of instances, and a plan with days deletes the old events of both and the old ledger', async () => {
  const company = await makeCompany(stack);
  const owner = await makeOwner(stack, { company, role: 'administrator' });
  const process = await makeProcess(stack, { owner });
  const instanceID = instanceOf(await process.start());
  const read = async (after: string) =>
    feedPage.parse(await owner.manage('GET', `/company/audit/feed?limit=500&after=${after}`));
  const young = await read('0.0');
  expect([young.events, young.more]).toEqual([[], false]);

  await makeOlder(process, FEED_LAG_SECONDS + 60);
  const { events, next } = await read(young.next);
  expect(events).toContainEqual(expect.objectContaining({ source: 'management', action: 'flow.publish' }));
  expect(events).toContainEqual(expect.objectContaining({ source: 'instance', action: 'start', instanceID }));
  expect((await read(next)).events).toEqual([]);
  const all = feedPage.parse(await callAsOperator(stack, 'GET', '/audit/feed?limit=500'));
  const namesOf = (page: typeof all) => page.events.map(({ source, id }) => `${source} ${id}`);
  expect(namesOf(all)).toEqual(expect.arrayContaining(namesOf({ ...all, events })));

  await makeOlder(process, 31 * 86_400);
  await callAsOperator(stack, 'PATCH', `/plans/${company.planID}`, { auditDays: 30, ledgerDays: 30 });
  await waitUntil('the old events are gone', async () => (await read('0.0')).events.length === 0);
  const { entries } = await waitUntil('the ledger is carried', async () => {
    const found = ledger.parse(await owner.manage('GET', '/credits/entries'));
    return found.entries[0]?.kind === 'carried' && found;
  });
  expect(entries).toEqual([expect.objectContaining({ kind: 'carried', amount: 999 })]);
  expect(await owner.manage('GET', '/credits')).toMatchObject({ balance: 999 });
});
