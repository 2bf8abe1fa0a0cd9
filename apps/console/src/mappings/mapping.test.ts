import { ApiError } from '@batuta/errors';
import { FakeWebhook } from '../../test/fake-webhook';
import { UNKNOWN_ID, addProcess } from '../../test/processes';
import { createWorld, requireText, type ConsoleCaller, type ConsoleWorld } from '../../test/world';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

afterEach(() => {
  world.fakeWebhook.refusal = undefined;
});

const { mapping } = FakeWebhook;
const addOrigin = async (owner: ConsoleCaller) =>
  requireText((await owner.must('POST', `/processes/${await addProcess(owner)}/origins`, { name: 'Shop' })).id);

test('a webhook mapping is drafted, saved and read in its three states', async () => {
  const ana = await world.addPerson();
  const id = await addOrigin(ana);
  const path = `/origins/${id}/mapping`;
  expect(await ana.must('GET', path)).toEqual(mapping);
  const entries = [
    { pointer: '/order/total', variableId: UNKNOWN_ID },
    { pointer: '', variableId: UNKNOWN_ID.toUpperCase() },
  ];
  const drafted = [entries[0], { pointer: '', variableId: UNKNOWN_ID }];
  expect(await ana.must('PUT', `${path}/draft`, entries)).toEqual({ ...mapping, unsaved: drafted });
  expect(world.fakeWebhook.requests.at(-1)).toEqual(['draft', { id, entries: drafted }]);
  expect(await ana.must('PUT', `${path}/draft`, [])).toMatchObject({ unsaved: [] });
  expect(await ana.must('POST', `${path}/save`)).toMatchObject({ unsaved: null });
  expect(world.fakeWebhook.requests.at(-1)).toEqual(['save', { id }]);
});

const MAPPING_ENTRY = { pointer: '/a', variableId: UNKNOWN_ID };

test.each<[string, unknown]>([
  ['body: must be a list', {}],
  ['body: must be a list', undefined],
  ['body: has more than 200 items', Array.from({ length: 201 }, () => MAPPING_ENTRY)],
  ['entries.0: must be an object', ['/a']],
  ['entries.0.pointer: is required', [{ variableId: UNKNOWN_ID }]],
  ['entries.0.pointer: must be a text', [{ ...MAPPING_ENTRY, pointer: null }]],
  ['entries.0.pointer: is longer than 2000 characters', [{ ...MAPPING_ENTRY, pointer: `/${'a'.repeat(2_000)}` }]],
  ['entries.1.variableId: is not an id', [MAPPING_ENTRY, { ...MAPPING_ENTRY, variableId: 'total' }]],
  ['entries.0.type: is not a known field', [{ ...MAPPING_ENTRY, type: 'Texto' }]],
])('a draft of a webhook mapping is refused with %s, and the former draft stays', async (message, body) => {
  const ana = await world.addPerson();
  const path = `/origins/${await addOrigin(ana)}/mapping/draft`;
  const before = world.fakeWebhook.requests.length;
  expect(await ana.refusal('PUT', path, body)).toEqual({ error: '400 BAD_REQUEST', message });
  expect(world.fakeWebhook.requests.slice(before)).toEqual([]);
});

test('a webhook mapping that the webhook service refuses is refused with its message', async () => {
  const ana = await world.addPerson();
  const path = `/origins/${await addOrigin(ana)}/mapping/draft`;
  world.fakeWebhook.refusal = new ApiError(
    'BAD_REQUEST',
    'entries.0.pointer: is not a JSON Pointer, such as /order/total',
  );
  expect(await ana.refusal('PUT', path, [{ ...MAPPING_ENTRY, pointer: 'a' }])).toEqual({
    error: '400 BAD_REQUEST',
    message: 'entries.0.pointer: is not a JSON Pointer, such as /order/total',
  });
});
