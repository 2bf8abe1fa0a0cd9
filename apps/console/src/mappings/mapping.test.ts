import { ApiError } from '@batuta/errors';
import { FakeWebhook } from '../../test/fake-webhook';
import { NOBODY, processOf } from '../../test/processes';
import { createWorld, textOf, type Client, type World } from '../../test/world';

let world: World;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

afterEach(() => {
  world.fakeWebhook.refusal = undefined;
});

const { mapping } = FakeWebhook;
const originOf = async (owner: Client) =>
  textOf((await owner.must('POST', `/processes/${await processOf(owner)}/origins`, { name: 'Shop' })).id);

test('a mapping is drafted, saved and read in its three states', async () => {
  const ana = await world.person();
  const id = await originOf(ana);
  const path = `/origins/${id}/mapping`;
  expect(await ana.must('GET', path)).toEqual(mapping);
  const entries = [
    { pointer: '/order/total', variableId: NOBODY },
    { pointer: '', variableId: NOBODY.toUpperCase() },
  ];
  const drafted = [entries[0], { pointer: '', variableId: NOBODY }];
  expect(await ana.must('PUT', `${path}/draft`, entries)).toEqual({ ...mapping, unsaved: drafted });
  expect(world.fakeWebhook.requests.at(-1)).toEqual(['draft', { id, entries: drafted }]);
  expect(await ana.must('PUT', `${path}/draft`, [])).toMatchObject({ unsaved: [] });
  expect(await ana.must('POST', `${path}/save`)).toMatchObject({ unsaved: null });
  expect(world.fakeWebhook.requests.at(-1)).toEqual(['save', { id }]);
});

const ENTRY = { pointer: '/a', variableId: NOBODY };

test.each<[string, unknown]>([
  ['body: must be a list', {}],
  ['body: must be a list', undefined],
  ['body: has more than 200 items', Array.from({ length: 201 }, () => ENTRY)],
  ['entries.0: must be an object', ['/a']],
  ['entries.0.pointer: is required', [{ variableId: NOBODY }]],
  ['entries.0.pointer: must be a text', [{ ...ENTRY, pointer: null }]],
  ['entries.0.pointer: is longer than 2000 characters', [{ ...ENTRY, pointer: `/${'a'.repeat(2_000)}` }]],
  ['entries.1.variableId: is not an id', [ENTRY, { ...ENTRY, variableId: 'total' }]],
  ['entries.0.type: is not a known field', [{ ...ENTRY, type: 'Texto' }]],
])('a draft is refused with %s, and the former draft stays', async (message, body) => {
  const ana = await world.person();
  const path = `/origins/${await originOf(ana)}/mapping/draft`;
  const before = world.fakeWebhook.requests.length;
  expect(await ana.refusal('PUT', path, body)).toEqual({ error: '400 BAD_REQUEST', message });
  expect(world.fakeWebhook.requests.slice(before)).toEqual([]);
});

test('a mapping that the webhook service refuses is refused with its message', async () => {
  const ana = await world.person();
  const path = `/origins/${await originOf(ana)}/mapping/draft`;
  world.fakeWebhook.refusal = new ApiError(
    'BAD_REQUEST',
    'entries.0.pointer: is not a JSON Pointer, such as /order/total',
  );
  expect(await ana.refusal('PUT', path, [{ ...ENTRY, pointer: 'a' }])).toEqual({
    error: '400 BAD_REQUEST',
    message: 'entries.0.pointer: is not a JSON Pointer, such as /order/total',
  });
});
