import { webhook } from '@batuta/contracts';
import { addOriginWithCapture } from '../../test/origin-with-capture';
import { addVariable, publishVersion } from '../../test/registry';
import { startWorld, type WebhookWorld } from '../../test/world';

let world: WebhookWorld;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

test('a preview shows draft and published mapping with values, refusals and absent fields', async () => {
  const at = await addOriginWithCapture(world.store, {
    saved: [['/total', 'total']],
    unsaved: [
      ['/card', 'total'],
      ['/nowhere', 'client'],
      ['/card/number', 'token'],
    ],
    published: [
      ['/amount', 'total'],
      ['/card', 'client'],
    ],
  });
  await world.store.write("UPDATE matrix_variable SET name = 'card' WHERE variable_id = ?", [at.ids.token]);
  expect(await world.rpc.call(webhook.preview, { captureID: at.captureID })).toEqual({
    draft: [
      { variableId: at.ids.total, name: 'total', pointer: '/card', refusal: expect.stringMatching(/^total: /) },
      { variableId: at.ids.client, name: 'client', pointer: '/nowhere', absent: true },
      { variableId: at.ids.token, name: 'card', pointer: '/card/number', value: '«•••»' },
    ],
    published: [
      { variableId: at.ids.total, name: 'total', pointer: '/amount', value: 20 },
      { variableId: at.ids.client, name: 'client', pointer: '/card', value: { number: '«•••»', holder: 'Ana' } },
    ],
  });
});

test('a preview uses the saved mapping when there is no draft, and is empty for a mapping that does not exist', async () => {
  const at = await addOriginWithCapture(world.store, { saved: [['/total', 'total']] });
  const preview = await world.rpc.call(webhook.preview, { captureID: at.captureID });
  expect(preview).toEqual({
    draft: [{ variableId: at.ids.total, name: 'total', pointer: '/total', value: 10.5 }],
    published: [],
  });
});

test('a preview of the largest capture and mapping fits into a message', async () => {
  const at = await addOriginWithCapture(world.store, {}, { body: JSON.stringify({ text: 'é'.repeat(50_000) }) });
  const ids: string[] = [];
  for (let n = 0; n < 200; n += 1) ids.push(await addVariable(world.store, at.processID, `v${n}`));
  const entries = ids.map((variableId) => ({ pointer: '/text', variableId }));
  await world.rpc.call(webhook.draftMapping, { id: at.id, entries });
  await world.rpc.call(webhook.saveMapping, { id: at.id });
  await publishVersion(world.store, at.processID, [{ originID: at.id, entries }]);
  const { draft, published } = await world.rpc.call(webhook.preview, { captureID: at.captureID });
  expect([draft.length, published.length]).toEqual([200, 200]);
  expect(draft.filter(({ omitted }) => omitted).length).toBeGreaterThan(100);
});
