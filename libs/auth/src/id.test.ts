import { v7 as uuid } from 'uuid';
import { readID } from '.';

test('an id is a UUID in upper or lower case', () => {
  const id = uuid();
  expect(readID(id.toUpperCase())).toBe(id);
  for (const other of ['', 'x', `${id}0`, ` ${id}`, id.replaceAll('-', ''), 5, null]) {
    expect(readID(other)).toBeUndefined();
  }
});
