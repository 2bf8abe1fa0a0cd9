import { ProcessPlaces, type Place } from './process-places';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const pass = (milliseconds: number) => jest.advanceTimersByTime(milliseconds);

/** Calls that ask for a place, and what they have got. */
function calls(places: ProcessPlaces, count: number) {
  const got: (Place | 'refused' | undefined)[] = Array.from({ length: count }, () => undefined);
  const call = async (index: number) => {
    got[index] = (await places.take()) ?? 'refused';
  };
  for (const index of got.keys()) void call(index);
  return {
    told: async () => {
      await settled();
      return got.map((one) => (typeof one === 'object' ? 'place' : one));
    },
    leave: async (...indexes: number[]) => {
      await settled();
      for (const index of indexes) {
        const place = got[index];
        if (typeof place === 'object') place.leave();
      }
    },
  };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
}

/** With so many places, all of them spare. */
async function holding(count: number): Promise<ProcessPlaces> {
  const places = new ProcessPlaces('p');
  const first = calls(places, count);
  places.grant(places.ask(), performance.now());
  await first.leave(...Array.from({ length: count }, (_, index) => index));
  places.look();
  return places;
}

test('calls get what is granted, in their order; the others are refused', async () => {
  const places = new ProcessPlaces('p');
  const three = calls(places, 3);
  expect([places.ask(), await three.told()]).toEqual([3, [undefined, undefined, undefined]]);
  places.grant(2, performance.now());
  expect(await three.told()).toEqual(['place', 'place', 'refused']);
  expect([places.held, places.wanting]).toEqual([2, false]);
});

test('a place that a call leaves is the next one’s, without asking', async () => {
  const places = await holding(1);
  const one = calls(places, 1);
  expect(await one.told()).toEqual(['place']);
  const next = calls(places, 1);
  expect([await next.told(), places.wanting]).toEqual([[undefined], true]);
  await one.leave(0);
  expect([await next.told(), places.wanting, places.held]).toEqual([['place'], false, 1]);
});

test('one that is left while more are asked for serves who would be refused', async () => {
  const places = await holding(1);
  const one = calls(places, 1);
  const two = calls(places, 2);
  expect(places.ask()).toBe(2);
  await one.leave(0);
  const late = calls(places, 1);
  places.grant(0, performance.now());
  expect([await two.told(), await late.told()]).toEqual([['place', 'refused'], [undefined]]);
  expect(places.ask()).toBe(1);
});

test('what was granted and is needed no more serves who came later', async () => {
  const places = await holding(1);
  const one = calls(places, 1);
  const two = calls(places, 1);
  places.ask();
  await one.leave(0);
  const late = calls(places, 1);
  places.grant(1, performance.now());
  expect([await two.told(), await late.told(), places.wanting, places.held]).toEqual([['place'], ['place'], false, 2]);
});

test('only what was spare all the time between two looks goes back', async () => {
  const places = await holding(3);
  const two = calls(places, 2);
  await two.leave(0, 1);
  expect([places.look(), places.held]).toEqual([true, 2]);
  const again = calls(places, 2);
  expect([places.look(), places.held]).toEqual([false, 2]);
  await again.leave(0, 1);
  expect([places.look(), places.held]).toEqual([false, 2]);
  expect([places.look(), places.held, places.needless]).toEqual([true, 0, true]);
});

test('what calls hold is renewed well before its lease ends', async () => {
  const places = await holding(1);
  calls(places, 1);
  places.look();
  pass(2_900);
  expect(places.look()).toBe(false);
  pass(200);
  expect([places.look(), places.held]).toEqual([true, 1]);
  places.kept(performance.now());
  expect(places.look()).toBe(false);
  pass(9_900);
  const next = calls(places, 1);
  expect(places.ask()).toBe(1);
  places.grant(0, performance.now());
  expect([await next.told(), places.held]).toEqual([['refused'], 1]);
});

test.each<[string, (places: ProcessPlaces) => void]>([
  ['whose lease has ended', () => pass(10_001)],
  ['that are told to be gone', (places) => places.lose()],
])('places %s are no longer handed on, nor held', async (_, end) => {
  const places = await holding(2);
  const one = calls(places, 1);
  await one.told();
  end(places);
  const next = calls(places, 1);
  await one.leave(0);
  expect([await next.told(), places.ask(), places.held]).toEqual([[undefined], 1, 0]);
  places.grant(1, performance.now());
  expect([await next.told(), places.held]).toEqual([['place'], 1]);
});

test('when nobody answers all are refused, and the service is told what is held until it knows', async () => {
  const places = new ProcessPlaces('p');
  const two = calls(places, 1);
  places.ask();
  const late = calls(places, 1);
  places.fail();
  expect([await two.told(), await late.told(), places.needless]).toEqual([['refused'], ['refused'], false]);
  expect(places.look()).toBe(true);
  places.doubt();
  expect([places.look(), places.held]).toEqual([true, 0]);
  places.kept(performance.now());
  expect([places.look(), places.needless]).toEqual([false, true]);
});
