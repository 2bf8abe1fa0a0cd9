import { Resolver, type LookupAddress } from 'node:dns';
import { promisify } from 'node:util';
import { holdTimers } from '../../../../test/support/held-timers';
import { resolvePublicName } from './resolve-name';

const IPV4 = '203.0.114.1';
const IPV6 = '2001:4860::1';

type Answer = (error: NodeJS.ErrnoException | null, addresses: string[]) => void;

let answer4: Answer;
let answer6: Answer;
beforeEach(() => {
  jest.spyOn(Resolver.prototype, 'resolve4').mockImplementation((_name: string, ...rest: unknown[]) => {
    answer4 = answerIn(rest);
  });
  jest.spyOn(Resolver.prototype, 'resolve6').mockImplementation((_name: string, ...rest: unknown[]) => {
    answer6 = answerIn(rest);
  });
});
afterEach(() => jest.restoreAllMocks());

function answerIn(rest: unknown[]): Answer {
  const callback = rest.at(-1);
  return (error, addresses) => void (typeof callback === 'function' && callback(error, addresses));
}

const resolve = (): Promise<LookupAddress[]> => promisify(resolvePublicName)('receiver.example', { all: true });

test('a name has the addresses of both families', async () => {
  const found = resolve();
  answer6(null, [IPV6]);
  answer4(null, [IPV4]);
  expect(await found).toEqual([
    { address: IPV6, family: 6 },
    { address: IPV4, family: 4 },
  ]);
});

test('a name whose servers answer no question for IPv6 addresses has its IPv4 addresses', async () => {
  const wait = holdTimers(500);
  const found = resolve();
  answer4(null, [IPV4]);
  wait.release();
  wait.fire();
  expect(await found).toEqual([{ address: IPV4, family: 4 }]);
  answer6(null, [IPV6]);
  expect(await found).toHaveLength(1);
});

test('a name without addresses has the error that says more than that one family has none', async () => {
  const found = resolve();
  answer4(Object.assign(new Error('no answer'), { code: 'ETIMEOUT' }), []);
  answer6(Object.assign(new Error('no such record'), { code: 'ENODATA' }), []);
  await expect(found).rejects.toThrow('no answer');
});
