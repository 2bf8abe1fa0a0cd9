import { referencedFiles, checkSendable } from './referenced-files';
import { MAX_FILE_BYTES, ExecutionFiles } from './execution-files';

const files = new ExecutionFiles();
const file = { name: 'a.pdf', contentType: 'application/pdf', bytes: Buffer.alloc(MAX_FILE_BYTES) };
const reference = files.keep('doc', file);
const values: Record<string, unknown> = { reference, list: [reference, reference], wrong: [reference, 1], empty: null };
const variables = { has: (name: string) => Object.hasOwn(values, name), get: (name: string) => values[name] };

test('a template refers to one file, or to several if its variable is a list', () => {
  expect(referencedFiles('f', '{reference}', variables, files)).toEqual([file]);
  expect(referencedFiles('f', '{list}', variables, files)).toEqual([file, file]);
});

test.each(['{wrong}', '{empty}', 'a.pdf', '/etc/passwd', 'x{reference}'])(
  '%s is no file of the execution',
  (template) => {
    expect(() => referencedFiles('f', template, variables, files)).toThrow(
      `f: ${template} is no file of this execution`,
    );
  },
);

test('one message or call carries at most 100 files with 25 MB together, however often a reference is repeated', () => {
  expect(
    checkSendable(
      'f',
      Array.from({ length: 5 }, () => file),
    ),
  ).toHaveLength(5);
  expect(() =>
    checkSendable(
      'f',
      Array.from({ length: 6 }, () => file),
    ),
  ).toThrow('f must be at most 100 files with 26214400 bytes');
  const small = { ...file, bytes: Buffer.alloc(0) };
  expect(() =>
    checkSendable(
      'f',
      Array.from({ length: 101 }, () => small),
    ),
  ).toThrow(/at most 100 files/);
});
