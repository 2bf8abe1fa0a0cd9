import { MAX_BODY_BYTES } from '@batuta/http';
import { connect } from 'node:net';
import { waitUntil } from '../../../../test/support/wait-until';
import { createWorld, type TestPerson, type ConsoleWorld } from '../../test/world';
import { BodyReader } from './body-reader';

let world: ConsoleWorld;
let budget: BodyReader['budget'];

beforeAll(async () => {
  const read = jest.spyOn(BodyReader.prototype, 'read');
  world = await createWorld();
  await world.addPerson();
  const [reader] = read.mock.contexts;
  if (!(reader instanceof BodyReader)) throw new Error('no body was read');
  budget = reader.budget;
  read.mockRestore();
});

afterAll(() => world?.close());

/** Begins a call with a body of 1 MB, of which only the first byte is sent; `end` closes the connection. */
function beginBody({ token }: TestPerson): { end(): void } {
  const { hostname, port } = new URL(world.url);
  const socket = connect(Number(port), hostname).resume();
  const head = ['PUT /manage/v1/vault/a HTTP/1.1', 'Host: x', `Authorization: Bearer ${token}`];
  const length = ['Content-Type: application/json', `Content-Length: ${MAX_BODY_BYTES}`, '', '{'];
  socket.write([...head, ...length].join('\r\n'));
  return { end: () => socket.destroy() };
}

test('bodies in flight are bounded per company and in total, and their bytes are released when the calls end', async () => {
  const [ana, bia, carl] = await Promise.all([world.addPerson(), world.addPerson(), world.addPerson()]);
  // Makes every wait for memory time out at once.
  const waits = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort());
  const largest = 20 * MAX_BODY_BYTES;
  const held = (person: TestPerson) => budget.usedBytesOf(person.companyID);
  const put = { value: 'x'.repeat(MAX_BODY_BYTES / 2) };
  const ofAna = [beginBody(ana), beginBody(ana), beginBody(ana)];
  await waitUntil('two bodies of a company are being read', () => held(ana) === 2 * largest);
  const refused = ana.refusal('PUT', '/vault/a', put);
  expect((await bia.call('PUT', '/vault/a', { value: 'x' })).status).toBe(200);
  const ofOthers = [beginBody(bia), beginBody(bia), beginBody(carl)];
  await waitUntil('four bodies are being read', () => budget.usedBytes === 4 * largest);
  const full = carl.refusal('PUT', '/vault/a', put);
  expect(await refused).toMatchObject({ error: '429 RATE_LIMITED' });
  expect(await full).toMatchObject({ error: '503 UNAVAILABLE' });
  waits.mockRestore();
  expect(budget.usedBytes).toBe(4 * largest);
  for (const connection of [...ofAna, ...ofOthers]) connection.end();
  await waitUntil('no body is being read', () => budget.usedBytes === 0);
  expect((await ana.call('PUT', '/vault/a', { value: 'x' })).status).toBe(200);
  await waitUntil('its bytes are given back', () => budget.usedBytes === 0);
});
