import { validationPipe } from '@batuta/http';
import { MatrixInput } from '../matrix/matrix.dto';
import { LoginInput } from '../sessions/session.dto';
import { Email, Line, NewPassword, Prose, Word } from './fields';

/** Accents in the wrong order: putting a megabyte of them in order takes a minute. */
const ACCENTS = '\u0301\u0316'.repeat(50_000);

class Texts {
  @Line({ max: 5, optional: true })
  line?: string;

  @Prose({ max: 3, optional: true })
  prose?: string;

  @Word({ optional: true })
  word?: string;

  @Email({ optional: true })
  email?: string;

  @NewPassword({ optional: true })
  password?: string;
}

const pipe = validationPipe();
const read = (metatype: new () => object, body: object): Promise<unknown> =>
  pipe.transform(body, { type: 'body', metatype });

let normalize: jest.SpiedFunction<typeof String.prototype.normalize>;
beforeEach(() => {
  normalize = jest.spyOn(String.prototype, 'normalize');
});
afterEach(() => normalize.mockRestore());

test.each<[string, new () => object, object]>([
  ['a line', Texts, { line: ACCENTS }],
  ['a description', Texts, { prose: ACCENTS }],
  ['a word', Texts, { word: ACCENTS }],
  ['an e-mail address', Texts, { email: ACCENTS }],
  ['a password', Texts, { password: ACCENTS }],
  ['a login', LoginInput, { email: ACCENTS, password: 'x' }],
  ['a variable', MatrixInput, { matrix: [{ name: 'total', type: ACCENTS }] }],
])('%s that is too long is refused without normalizing its accents', async (_, type, body) => {
  await expect(read(type, body)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  expect(normalize.mock.contexts.filter((text) => String(text).length > 10_000)).toEqual([]);
});

test.each<[string, 'line' | 'prose', string, string]>([
  ['between spaces', 'line', `${' '.repeat(50_000)}ação\n`, 'ação'],
  ['of which four make one character', 'line', '\u03b1\u0313\u0300\u0345'.repeat(5), '\u1f82'.repeat(5)],
  ['in a description of the greatest length', 'prose', 'e\u0323\u0302'.repeat(3), '\u1ec7'.repeat(3)],
])('accents %s are composed', async (_, name, sent, expected) => {
  expect(await read(Texts, { [name]: sent })).toEqual({ [name]: expected });
});

test('lengths count code points, so that an emoji is one character', async () => {
  await expect(read(Texts, { line: '😀'.repeat(5), password: '😀'.repeat(200) })).resolves.toBeDefined();
  await expect(read(Texts, { line: '😀'.repeat(6) })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  await expect(read(Texts, { password: '😀'.repeat(9) })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
});
