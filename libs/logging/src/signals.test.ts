import { createLogger } from './logger';
import { endOnSignals, stopOnSignals } from './signals';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
const logger = createLogger('test', 'silent');
const exit = jest.spyOn(process, 'exit').mockImplementation();

beforeEach(() => exit.mockClear());
afterEach(() => SIGNALS.forEach((signal) => process.removeAllListeners(signal)));
afterAll(() => exit.mockRestore());

test.each([
  ['SIGTERM', 128 + 15],
  ['SIGINT', 128 + 2],
] as const)('%s ends a program that has not started yet with the code %i', (signal, code) => {
  endOnSignals();
  process.emit(signal, signal);
  expect(exit.mock.calls).toEqual([[code]]);
});

test.each(SIGNALS)(
  '%s closes a service that has started before it exits with 0, and only a second one ends it at once',
  async (signal) => {
    endOnSignals();
    const closed = Promise.withResolvers<void>();
    stopOnSignals({ close: () => closed.promise }, logger);
    process.emit(signal, signal);
    expect(exit).not.toHaveBeenCalled();
    closed.resolve();
    await closed.promise;
    expect(exit.mock.calls).toEqual([[0]]);
    process.emit(signal, signal);
    expect(exit.mock.calls).toEqual([[0], [1]]);
  },
);

test('a service that does not close cleanly exits with 1', async () => {
  stopOnSignals({ close: () => Promise.reject(new Error('closing fails')) }, logger);
  process.emit('SIGTERM', 'SIGTERM');
  await new Promise(setImmediate);
  expect(exit.mock.calls).toEqual([[1]]);
});
