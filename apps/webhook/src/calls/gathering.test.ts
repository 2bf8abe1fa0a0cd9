import { Gathering } from './gathering';

/** Work that a test lets go on, round by round. */
function held() {
  const rounds: { key: string; items: number[]; go: (error?: Error) => void }[] = [];
  const gathering = new Gathering<number, number>(
    (key, items) =>
      new Promise((resolve, reject) => {
        const go = (error?: Error) => (error ? reject(error) : resolve(items.map((item) => item * 10)));
        rounds.push({ key, items, go });
      }),
  );
  return { rounds, gathering };
}
const turn = () => new Promise(setImmediate);

test('does what comes meanwhile together, in its order, once the round before is done', async () => {
  const { rounds, gathering } = held();
  const results = [1, 2, 3].map((item) => gathering.submit('a', item));
  expect(rounds.map(({ items }) => items)).toEqual([[1]]);
  rounds[0]?.go();
  await turn();
  expect(rounds.map(({ items }) => items)).toEqual([[1], [2, 3]]);
  rounds[1]?.go();
  expect(await Promise.all(results)).toEqual([10, 20, 30]);
});

test('keys do not wait for each other', () => {
  const { rounds, gathering } = held();
  void gathering.submit('a', 1);
  void gathering.submit('b', 2);
  expect(rounds.map(({ key }) => key)).toEqual(['a', 'b']);
});

test('a round that fails takes no other one with it', async () => {
  const { rounds, gathering } = held();
  const [first, second] = [gathering.submit('a', 1), gathering.submit('a', 2)];
  rounds[0]?.go(new Error('lost'));
  await expect(first).rejects.toThrow('lost');
  rounds[1]?.go();
  expect(await second).toBe(20);
  await turn();
  void gathering.submit('a', 3);
  expect(rounds[2]?.items).toEqual([3]);
});
