import { validationPipe } from '@batuta/http';
import { MatrixInput } from '../matrix/matrix.dto';
import { LoginInput } from '../sessions/session.dto';
import { EmailField, LineField, NewPasswordField, ProseField, WordField } from './fields';

/** Combining accents in the wrong order; putting a megabyte of them in order, as NFC requires, takes a minute. */
const MISORDERED_ACCENTS = '\u0301\u0316'.repeat(50_000);

class TextsDto {
  @LineField({ max: 5, optional: true })
  line?: string;

  @ProseField({ max: 3, optional: true })
  prose?: string;

  @WordField({ optional: true })
  word?: string;

  @EmailField({ optional: true })
  email?: string;

  @NewPasswordField({ optional: true })
  password?: string;
}

const VALIDATION_PIPE = validationPipe();
const readThroughPipe = (metatype: new () => object, body: object): Promise<unknown> =>
  VALIDATION_PIPE.transform(body, { type: 'body', metatype });

let normalize: jest.SpiedFunction<typeof String.prototype.normalize>;
beforeEach(() => {
  normalize = jest.spyOn(String.prototype, 'normalize');
});
afterEach(() => normalize.mockRestore());

test.each<[string, new () => object, object]>([
  ['a line', TextsDto, { line: MISORDERED_ACCENTS }],
  ['a description', TextsDto, { prose: MISORDERED_ACCENTS }],
  ['a word', TextsDto, { word: MISORDERED_ACCENTS }],
  ['an e-mail address', TextsDto, { email: MISORDERED_ACCENTS }],
  ['a password', TextsDto, { password: MISORDERED_ACCENTS }],
  ['a login', LoginInput, { email: MISORDERED_ACCENTS, password: 'x' }],
  ['a variable', MatrixInput, { matrix: [{ name: 'total', type: MISORDERED_ACCENTS }] }],
])('%s that is too long is refused without normalizing its accents', async (_, type, body) => {
  await expect(readThroughPipe(type, body)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  expect(normalize.mock.contexts.filter((text) => String(text).length > 10_000)).toEqual([]);
});

test.each<[string, 'line' | 'prose', string, string]>([
  ['between spaces', 'line', `${' '.repeat(50_000)}ação\n`, 'ação'],
  ['of which four make one character', 'line', '\u03b1\u0313\u0300\u0345'.repeat(5), '\u1f82'.repeat(5)],
  [
    'of which six UTF-16 code units make one character',
    'line',
    '\u{1611e}\u{1611e}\u{1611f}'.repeat(5),
    '\u{16126}'.repeat(5),
  ],
  ['in a description of the greatest length', 'prose', 'e\u0323\u0302'.repeat(3), '\u1ec7'.repeat(3)],
])('accents %s are composed', async (_, name, sent, expected) => {
  expect(await readThroughPipe(TextsDto, { [name]: sent })).toEqual({ [name]: expected });
});

test('lengths count code points, so that an emoji is one character', async () => {
  await expect(readThroughPipe(TextsDto, { line: '😀'.repeat(5), password: '😀'.repeat(200) })).resolves.toBeDefined();
  await expect(readThroughPipe(TextsDto, { line: '😀'.repeat(6) })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  await expect(readThroughPipe(TextsDto, { password: '😀'.repeat(9) })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
});
