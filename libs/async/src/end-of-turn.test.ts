import { once } from 'node:events';
import { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { atEndOfTurn, corkUntilEndOfTurn } from './end-of-turn';

test('tasks of one turn run at its end, in the order of the calls', async () => {
  const done: string[] = [];
  atEndOfTurn(() => done.push('first'));
  queueMicrotask(() => atEndOfTurn(() => done.push('second')));
  await Promise.resolve();
  expect(done).toEqual([]);
  await setImmediate();
  expect(done).toEqual(['first', 'second']);
});

test('a task that a task adds runs at the end of the next turn', async () => {
  const done: string[] = [];
  atEndOfTurn(() => {
    done.push('first');
    atEndOfTurn(() => done.push('second'));
  });
  await setImmediate();
  expect(done).toEqual(['first']);
  await setImmediate();
  expect(done).toEqual(['first', 'second']);
});

test('the writes to a stream in one turn leave together, and those of the next turn in another write', async () => {
  const writes: string[][] = [];
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => (writes.push([String(chunk)]), done()),
    writev: (chunks, done) => (writes.push(chunks.map(({ chunk }) => String(chunk))), done()),
  });
  for (const text of ['a', 'b']) {
    corkUntilEndOfTurn(stream);
    stream.write(text);
  }
  await setImmediate();
  corkUntilEndOfTurn(stream);
  stream.write('c');
  stream.end();
  await once(stream, 'finish');
  expect(writes).toEqual([['a', 'b'], ['c']]);
});

test('a stream that is destroyed in the turn fails no task of the turn', async () => {
  const stream = new Writable({ write: (_chunk, _encoding, done) => done() });
  corkUntilEndOfTurn(stream);
  stream.destroy();
  let ran = false;
  atEndOfTurn(() => (ran = true));
  await setImmediate();
  expect(ran).toBe(true);
});
