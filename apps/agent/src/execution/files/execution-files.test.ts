import { MAX_FILE_BYTES, ExecutionFiles } from './execution-files';

const file = (bytes: number, name = 'a.pdf') => ({ name, contentType: 'application/pdf', bytes: Buffer.alloc(bytes) });

test('every file has a reference of its own, under which it is found', () => {
  const files = new ExecutionFiles();
  const [first, second] = [files.keep('one', file(1)), files.keep('two', file(2))];
  expect([first, second]).toEqual(['file:1/a.pdf', 'file:2/a.pdf']);
  expect(files.find(second)).toEqual(file(2));
  expect(files.find('a.pdf')).toBeUndefined();
});

test('a file replaces the previous file of its variable, whose bytes no longer count', () => {
  const files = new ExecutionFiles();
  const references = Array.from({ length: 30 }, () => files.keep('one', file(MAX_FILE_BYTES)));
  expect(references.filter((reference) => files.find(reference))).toEqual(['file:30/a.pdf']);
  files.drop('one');
  expect(files.find('file:30/a.pdf')).toBeUndefined();
});

test('a file has at most 5 MB, and all files of an execution have at most 50 MB', () => {
  const files = new ExecutionFiles();
  expect(() => files.keep('x', file(MAX_FILE_BYTES + 1, 'b.pdf'))).toThrow(
    /^the file b\.pdf has more than 5242880 bytes/,
  );
  for (let n = 0; n < 10; n += 1) files.keep(`v${n}`, file(MAX_FILE_BYTES));
  expect(() => files.keep('x', file(1))).toThrow(/^the files of this execution would have more than 52428800 bytes/);
});
