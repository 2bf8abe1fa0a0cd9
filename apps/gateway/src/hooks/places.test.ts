import type { PlacesAsked, PlacesKept } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import type { INestMicroservice } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { expectLateAnswers } from '../../../../test/support/patience';
import { startTestNats, type TestNats } from '../../../../test/support/servers';
import { waitUntil } from '../../../../test/support/wait-until';
import { asked } from '../../test/fake-execution';
import { startFakeWebhook, webhookAnswers } from '../../test/fake-webhook';
import { Places } from './places';
import type { Place } from './process-places';

const MOST = 5;

let nats: TestNats;
let webhooks: INestMicroservice;
let rpc: Rpc;
let replicas: Places[] = [];
let processID = '';
/** Places by process and holder, as the webhook service would count them. */
const rows = new Map<string, Map<string, number>>();

beforeAll(async () => {
  expectLateAnswers();
  nats = await startTestNats();
  webhooks = await startFakeWebhook(nats.url);
  rpc = await Rpc.connect(nats.url, 'test');
});

afterAll(async () => {
  await rpc?.close();
  await webhooks?.close();
  await nats?.stop();
});

const original = { ...webhookAnswers };
beforeEach(() => {
  Object.assign(webhookAnswers, { wait: count, keep: lower });
  rows.clear();
  asked.length = 0;
  processID = uuid();
  replicas = [new Places(rpc, 5_000), new Places(rpc, 5_000)];
});

afterEach(async () => {
  await Promise.all(replicas.map((replica) => replica.onApplicationShutdown()));
  Object.assign(webhookAnswers, original);
});

async function count({ holder, processID: of, want }: PlacesAsked): Promise<{ granted: number }> {
  const held = rows.get(of) ?? new Map<string, number>();
  rows.set(of, held);
  const granted = Math.min(want, MOST - total(of));
  held.set(holder, (held.get(holder) ?? 0) + granted);
  return { granted };
}

async function lower({ holder, places }: PlacesKept): Promise<{ gone: string[] }> {
  const gone = places.filter((place) => place.count > (rows.get(place.processID)?.get(holder) ?? 0));
  for (const place of places) rows.get(place.processID)?.set(holder, place.count);
  return { gone: gone.map((place) => place.processID) };
}

function total(of = processID): number {
  return [...(rows.get(of)?.values() ?? [])].reduce((sum, held) => sum + held, 0);
}

const free = () => waitUntil('all places are free', () => total() === 0);
const requests = (subject: string) => asked.filter((one) => one.subject === subject).length;
const take = (replica: number, calls: number): Promise<(Place | undefined)[]> =>
  Promise.all(Array.from({ length: calls }, async () => replicas[replica]?.take(processID)));
const got = (places: (Place | undefined)[]) => places.filter((place) => place !== undefined);

test('two replicas together hold so many places of a process and no more', async () => {
  const [one, other] = await Promise.all([take(0, 4), take(1, 4)]);
  expect([got([...one, ...other]).length, total()]).toEqual([MOST, MOST]);
  expect(got(await take(0, 1))).toEqual([]);
});

test('those that come together are asked for together', async () => {
  const all = Array.from({ length: 6 }, () => take(0, 1));
  expect(got((await Promise.all(all)).flat())).toHaveLength(MOST);
  expect(requests('webhook.wait')).toBe(2);
});

test('many calls one after the other need no further place, and the last leaves none behind', async () => {
  for (const place of await take(0, 2)) place?.leave();
  const before = requests('webhook.wait');
  for (let round = 0; round < 100; round += 1) {
    const places = await take(0, 2);
    expect(got(places)).toHaveLength(2);
    for (const place of places) place?.leave();
  }
  expect(requests('webhook.wait')).toBe(before);
  expect(await free()).toBe(true);
});

test('what a replica does not use is there for the other, while it keeps what it uses', async () => {
  const [used, ...unused] = await take(0, MOST);
  expect(got(await take(1, 1))).toEqual([]);
  for (const place of unused) place?.leave();
  await waitUntil('the unused are given back', () => total() === 1);
  expect(got(await take(1, MOST))).toHaveLength(MOST - 1);
  used?.leave();
});

test('spare places of many processes go back with one request', async () => {
  const processes = [processID, uuid(), uuid()];
  for (const place of await Promise.all(processes.map(async (each) => replicas[0]?.take(each)))) place?.leave();
  await free();
  expect(processes.map(total)).toEqual([0, 0, 0]);
  const given = asked
    .filter(({ subject }) => subject === 'webhook.keep')
    .map(({ request }) => Object(request).places.filter(({ count: kept }: { count: number }) => kept === 0).length);
  // What calls still hold may have been renewed before.
  expect(given.filter((places) => places > 0)).toEqual([3]);
});

test('one that is granted though nobody heard of it is given back', async () => {
  webhookAnswers.wait = async (wanted) => {
    await count(wanted);
    throw new ApiError('UNAVAILABLE');
  };
  expect(got(await take(0, 1))).toEqual([]);
  expect(total()).toBe(1);
  expect(await free()).toBe(true);
});

test('a word that is lost is said again', async () => {
  let lost = 0;
  webhookAnswers.keep = async (kept) => {
    lost += 1;
    if (lost > 2) return lower(kept);
    throw new ApiError('UNAVAILABLE');
  };
  for (const place of await take(0, 3)) place?.leave();
  expect(await free()).toBe(true);
});

test('a replica whose places are gone asks for new ones, and what its calls held is nobody’s', async () => {
  const before = await take(0, 3);
  rows.clear();
  // Something to tell about, so that it is told that the others are gone.
  before[0]?.leave();
  await waitUntil('it has learned of it', () => requests('webhook.keep') > 1);
  expect(got(await take(1, 4))).toHaveLength(4);
  for (const place of before.slice(1)) place?.leave();
  expect(got(await take(0, 2))).toHaveLength(1);
  expect(total()).toBe(MOST);
});

test('a replica that stops gives all back at once', async () => {
  await take(0, 3);
  await take(1, 1);
  await replicas[0]?.onApplicationShutdown();
  expect(total()).toBe(1);
});
