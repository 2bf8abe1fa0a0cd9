import { z } from 'zod';
import { newMatrix } from '../matrix/matrix.schema';
import { loginInput } from '../sessions/session.schema';
import { email, line, password, prose, word } from './fields';

/** Accents in the wrong order: putting a megabyte of them in order takes a minute. */
const ACCENTS = '\u0301\u0316'.repeat(50_000);

const normalize = jest.spyOn(String.prototype, 'normalize');
afterEach(() => normalize.mockClear());
afterAll(() => normalize.mockRestore());

test.each<[string, z.ZodType, unknown]>([
  ['a line', line(), ACCENTS],
  ['a description', prose(), ACCENTS],
  ['a word', word(), ACCENTS],
  ['an e-mail address', email(), ACCENTS],
  ['a password', password(), ACCENTS],
  ['a login', loginInput, { email: ACCENTS, password: 'x' }],
  ['a variable', newMatrix, [{ name: 'total', type: ACCENTS }]],
])('%s is refused for its length before anyone looks at its accents', (_, schema, given) => {
  expect(schema.safeParse(given).success).toBe(false);
  expect(normalize.mock.contexts.filter((text) => String(text).length > 10_000)).toEqual([]);
});

test.each<[string, z.ZodType, string, string]>([
  ['around spaces', line(5), `${' '.repeat(50_000)}ação\n`, 'ação'],
  ['that four characters make one of', line(5), '\u03b1\u0313\u0300\u0345'.repeat(5), '\u1f82'.repeat(5)],
  ['in a description of the longest', prose(3), 'e\u0323\u0302'.repeat(3), '\u1ec7'.repeat(3)],
])('accents %s are composed', (_, schema, given, expected) => expect(schema.parse(given)).toBe(expected));
