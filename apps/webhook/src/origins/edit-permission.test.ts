import { webhook, type Caller, type OriginDraft } from '@batuta/contracts';
import { callDuringChange, revocations } from '../../../../test/support/call-during-change';
import { addLoginSession } from '../../../../test/support/login-session';
import { addCapture } from '../../test/captures';
import { addEditor, registerProcess } from '../../test/registry';
import { startWorld, type WebhookWorld } from '../../test/world';

let world: WebhookWorld;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

interface Edited {
  processID: string;
  id: string;
  captureID: string;
  by: Caller;
}

const draft: OriginDraft = { name: 'Store', responseMode: 'Imediata', waitSeconds: 30, enabled: true, signature: null };

/** An origin with a capture, and an account that may edit its process by a share. */
async function createEditedOrigin(): Promise<Edited> {
  const { companyID, processID } = await registerProcess(world.store);
  const { id } = await world.rpc.call(webhook.createOrigin, { processID, draft });
  const captureID = await addCapture(world.store, id);
  const accountID = await addEditor(world.store, companyID, processID);
  const { sessionHash } = await addLoginSession(world.store, accountID);
  return { processID, id, captureID, by: { accountID, sessionHash } };
}

const CHANGES: [what: string, ask: (edited: Edited) => Promise<unknown>][] = [
  ['creates', ({ processID, by }) => world.rpc.call(webhook.createOrigin, { processID, draft, ...by })],
  ['changes', ({ id, by }) => world.rpc.call(webhook.changeOrigin, { id, change: { name: 'X' }, ...by })],
  ['removes', ({ id, by }) => world.rpc.call(webhook.removeOrigin, { id, ...by })],
  ['rotates', ({ id, by }) => world.rpc.call(webhook.rotate, { id, url: 'prod', ...by })],
  ['drafts a mapping of', ({ id, by }) => world.rpc.call(webhook.draftMapping, { id, entries: [], ...by })],
  ['saves the mapping of', ({ id, by }) => world.rpc.call(webhook.saveMapping, { id, ...by })],
  ['deletes the captures of', ({ id, by }) => world.rpc.call(webhook.removeCaptures, { id, ...by })],
  ['deletes a capture of', ({ captureID, by }) => world.rpc.call(webhook.removeCapture, { captureID, ...by })],
];

/** Everything that a change of an origin writes. */
async function readStored({ processID }: Edited): Promise<unknown> {
  const ofProcess = 'IN (SELECT origin_id FROM origin WHERE process_id = ?)';
  return Promise.all([
    world.store.rows('SELECT * FROM origin WHERE process_id = ? ORDER BY origin_id', [processID]),
    world.store.rows(`SELECT * FROM origin_token WHERE origin_id ${ofProcess} ORDER BY token_hash`, [processID]),
    world.store.rows(`SELECT * FROM capture WHERE origin_id ${ofProcess} ORDER BY capture_id`, [processID]),
    world.store.rows('SELECT * FROM management_event WHERE process_id = ? ORDER BY event_id', [processID]),
  ]);
}

const refusalDuring = (
  revocation: keyof typeof revocations,
  edited: Edited,
  ask: (edited: Edited) => Promise<unknown>,
) =>
  callDuringChange(
    world.store,
    (tx) => revocations[revocation](tx, edited.processID, edited.by.accountID),
    () =>
      ask(edited).then(
        () => 'no refusal',
        ({ code }: { code: string }) => code,
      ),
  );

test.each(CHANGES)('an account whose share ends after the check of the console %s no origin', async (what, ask) => {
  const edited = await createEditedOrigin();
  const before = await readStored(edited);
  const refusal = await refusalDuring('share', edited, ask);
  expect(refusal).toBe(what === 'creates' ? 'PROCESS_NOT_FOUND' : 'NOT_FOUND');
  expect(await readStored(edited)).toEqual(before);
});

test.each(CHANGES)('an account whose session ends after the check of the console %s no origin', async (_, ask) => {
  const edited = await createEditedOrigin();
  const before = await readStored(edited);
  expect(await refusalDuring('session', edited, ask)).toBe('INVALID_CREDENTIAL');
  expect(await readStored(edited)).toEqual(before);
});

test.each<[string, keyof typeof revocations, string]>([
  ['has a session that expires', 'sessionTime', 'INVALID_CREDENTIAL'],
  ['loses the permission `edit`', 'permissions', 'FORBIDDEN'],
  ['is blocked', 'access', 'OWNER_INACTIVE'],
  ['is one of a company that is suspended', 'company', 'OWNER_INACTIVE'],
])('an account that %s after the check of the console rotates no URL', async (_, revocation, code) => {
  const edited = await createEditedOrigin();
  const before = await readStored(edited);
  const rotate = ({ id, by }: Edited) => world.rpc.call(webhook.rotate, { id, url: 'dev', ...by });
  expect(await refusalDuring(revocation, edited, rotate)).toBe(code);
  expect(await readStored(edited)).toEqual(before);
});

test.each(CHANGES)('an account with the permission `edit` %s an origin', async (_, ask) => {
  const edited = await createEditedOrigin();
  await ask(edited);
  const events = await world.store.rows('SELECT 1 FROM management_event WHERE process_id = ?', [edited.processID]);
  expect(events).toHaveLength(2);
});
