import { PassThrough } from 'node:stream';
import { askHidden, askOpenly, errorOutputOf, outputOf } from './process-terminal';

let written: string[];
beforeEach(() => {
  written = [];
  jest.spyOn(process.stderr, 'write').mockImplementation((chunk) => written.push(String(chunk)) > 0);
  jest.spyOn(process, 'exit').mockImplementation((code) => {
    throw new Error(`exit ${code}`);
  });
});
afterEach(() => jest.restoreAllMocks());

const failWith = (code: string, message: string, watch = outputOf) => {
  const stream = new PassThrough();
  watch(stream);
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

test.each(['EPIPE', 'ENOSPC'])('the command goes on when its notes and errors cannot be written (%s)', (code) => {
  expect(() => failWith(code, `write ${code}`, errorOutputOf)).not.toThrow();
});

test('an interruption of the command ends the question that it asks', async () => {
  const interruption = new AbortController();
  const answer = askOpenly(new PassThrough(), 'E-mail: ', interruption.signal);
  interruption.abort();
  await expect(answer).rejects.toMatchObject({ name: 'CommandFailure' });
});

describe('hidden questions', () => {
  let modes: boolean[];
  let input: PassThrough & { setRawMode(raw: boolean): void };
  beforeEach(() => {
    modes = [];
    input = Object.assign(new PassThrough(), { setRawMode: (raw: boolean) => void modes.push(raw) });
  });

  test('an interruption of the command, such as SIGTERM, ends a hidden question and shows the keys again', async () => {
    const interruption = new AbortController();
    const answer = askHidden(input, 'Password: ', interruption.signal);
    interruption.abort();
    await expect(answer).rejects.toMatchObject({ outcome: 'interrupted' });
    expect(modes).toEqual([true, false]);
  });

  test('a hidden question reads one answer, and the keys are shown again', async () => {
    const answer = askHidden(input, 'Password: ', new AbortController().signal);
    input.write('pass');
    input.write(' word\r');
    expect(await answer).toBe('pass word');
    expect([modes, input.listenerCount('data'), written]).toEqual([[true, false], 0, ['Password: ', '\n']]);
  });
});
