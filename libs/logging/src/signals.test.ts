import { createLogger } from './logger';
import { endOnSignals, stopOnSignals } from './signals';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
const logger = createLogger('test', 'silent');
let exit: jest.SpyInstance;
/** The listeners of the test runner, by signal. */
let listenersBefore: Map<string, NodeJS.SignalsListener[]>;

beforeEach(() => {
  exit = jest.spyOn(process, 'exit').mockImplementation();
  listenersBefore = new Map(SIGNALS.map((signal) => [signal, process.listeners(signal)]));
  for (const signal of SIGNALS) process.removeAllListeners(signal);
});

afterEach(() => {
  for (const signal of SIGNALS) {
    process.removeAllListeners(signal);
    for (const listener of listenersBefore.get(signal) ?? []) process.on(signal, listener);
  }
  exit.mockRestore();
});

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
