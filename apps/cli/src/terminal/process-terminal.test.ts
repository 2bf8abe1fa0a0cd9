import { PassThrough } from 'node:stream';
import { askOpenly, outputOf } from './process-terminal';

let written: string[];
beforeEach(() => {
  written = [];
  jest.spyOn(process.stderr, 'write').mockImplementation((chunk) => written.push(String(chunk)) > 0);
  jest.spyOn(process, 'exit').mockImplementation((code) => {
    throw new Error(`exit ${code}`);
  });
});
afterEach(() => jest.restoreAllMocks());

const failWith = (code: string, message: string) => {
  const stream = new PassThrough();
  outputOf(stream);
  stream.emit('error', Object.assign(new Error(message), { code }));
};

test('an output that takes no more bytes ends the program with a sentence and without a stack trace', () => {
  expect(() => failWith('ENOSPC', 'ENOSPC: no space left on device, write')).toThrow('exit 1');
  expect(written).toEqual(['batuta: The output cannot be written: ENOSPC: no space left on device, write\n']);
});

test('a pipe that its reader closed ends the program without a failure', () => {
  expect(() => failWith('EPIPE', 'write EPIPE')).toThrow('exit 0');
  expect(written).toEqual([]);
});

test('an interruption of the command ends the question that it asks', async () => {
  const interruption = new AbortController();
  const answer = askOpenly(new PassThrough(), 'E-mail: ', interruption.signal);
  interruption.abort();
  await expect(answer).rejects.toMatchObject({ name: 'CommandFailure' });
});
