import { webhook, type OriginDraft } from '@batuta/contracts';
import { callDuringChange, endings } from '../../../../test/support/call-during-change';
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
  accountID: string;
}

const draft: OriginDraft = { name: 'Store', responseMode: 'Imediata', waitSeconds: 30, enabled: true, signature: null };

/** An origin with a capture, and an account that may edit its process by a share. */
async function editedOrigin(): Promise<Edited> {
  const { companyID, processID } = await registerProcess(world.store);
  const { id } = await world.rpc.call(webhook.createOrigin, { processID, draft });
  const captureID = await addCapture(world.store, id);
  return { processID, id, captureID, accountID: await addEditor(world.store, companyID, processID) };
}

const CHANGES: [what: string, ask: (edited: Edited) => Promise<unknown>][] = [
  ['creates', ({ processID, accountID }) => world.rpc.call(webhook.createOrigin, { processID, draft, accountID })],
  ['changes', ({ id, accountID }) => world.rpc.call(webhook.changeOrigin, { id, change: { name: 'X' }, accountID })],
  ['removes', ({ id, accountID }) => world.rpc.call(webhook.removeOrigin, { id, accountID })],
  ['rotates', ({ id, accountID }) => world.rpc.call(webhook.rotate, { id, url: 'prod', accountID })],
  ['drafts a mapping of', ({ id, accountID }) => world.rpc.call(webhook.draftMapping, { id, entries: [], accountID })],
  ['saves the mapping of', ({ id, accountID }) => world.rpc.call(webhook.saveMapping, { id, accountID })],
  ['deletes the captures of', ({ id, accountID }) => world.rpc.call(webhook.removeCaptures, { id, accountID })],
  [
    'deletes a capture of',
    ({ captureID, accountID }) => world.rpc.call(webhook.removeCapture, { captureID, accountID }),
  ],
];

/** Everything that a change of an origin writes. */
async function stored({ processID }: Edited): Promise<unknown> {
  const ofProcess = 'IN (SELECT origin_id FROM origin WHERE process_id = ?)';
  return Promise.all([
    world.store.rows('SELECT * FROM origin WHERE process_id = ? ORDER BY origin_id', [processID]),
    world.store.rows(`SELECT * FROM origin_token WHERE origin_id ${ofProcess} ORDER BY token_hash`, [processID]),
    world.store.rows(`SELECT * FROM capture WHERE origin_id ${ofProcess} ORDER BY capture_id`, [processID]),
    world.store.rows('SELECT * FROM management_event WHERE process_id = ? ORDER BY event_id', [processID]),
  ]);
}

const refusalDuring = (ending: keyof typeof endings, edited: Edited, ask: (edited: Edited) => Promise<unknown>) =>
  callDuringChange(
    world.store,
    (tx) => endings[ending](tx, edited.processID, edited.accountID),
    () =>
      ask(edited).then(
        () => 'no refusal',
        ({ code }: { code: string }) => code,
      ),
  );

test.each(CHANGES)('an account whose share ends after the check of the console %s no origin', async (what, ask) => {
  const edited = await editedOrigin();
  const before = await stored(edited);
  const refusal = await refusalDuring('share', edited, ask);
  expect(refusal).toBe(what === 'creates' ? 'PROCESS_NOT_FOUND' : 'NOT_FOUND');
  expect(await stored(edited)).toEqual(before);
});

test.each<[string, keyof typeof endings, string]>([
  ['loses the permission `edit`', 'permissions', 'FORBIDDEN'],
  ['is blocked', 'access', 'OWNER_INACTIVE'],
  ['is one of a company that is suspended', 'company', 'OWNER_INACTIVE'],
])('an account that %s after the check of the console rotates no URL', async (_, ending, code) => {
  const edited = await editedOrigin();
  const before = await stored(edited);
  const rotate = ({ id, accountID }: Edited) => world.rpc.call(webhook.rotate, { id, url: 'dev', accountID });
  expect(await refusalDuring(ending, edited, rotate)).toBe(code);
  expect(await stored(edited)).toEqual(before);
});

test.each(CHANGES)('an account with the permission `edit` %s an origin', async (_, ask) => {
  const edited = await editedOrigin();
  await ask(edited);
  const events = await world.store.rows('SELECT 1 FROM management_event WHERE process_id = ?', [edited.processID]);
  expect(events).toHaveLength(2);
});
