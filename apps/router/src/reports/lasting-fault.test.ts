import { ApiError } from '@batuta/errors';
import { LastingFault } from './lasting-fault';

let passedMs = 0;
let fault: LastingFault;

beforeEach(() => {
  passedMs = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => passedMs);
  fault = new LastingFault(600_000);
});
afterEach(() => jest.restoreAllMocks());

async function failWith(error: Error): Promise<void> {
  const attempt = async () => {
    throw error;
  };
  await expect(fault.watch(attempt)).rejects.toBe(error);
}

test('a fault lasts when all attempts of ten minutes were INTERNAL', async () => {
  await failWith(new ApiError('INTERNAL'));
  passedMs = 599_999;
  await failWith(new ApiError('INTERNAL'));
  expect(fault.lasts).toBe(false);
  passedMs = 600_000;
  expect(fault.lasts).toBe(true);
});

test.each([new ApiError('UNAVAILABLE'), new Error('lost')])(
  'after %s the time of a fault begins anew',
  async (error) => {
    await failWith(new ApiError('INTERNAL'));
    passedMs = 600_000;
    await failWith(error);
    expect(fault.lasts).toBe(false);
    await failWith(new ApiError('INTERNAL'));
    expect(fault.lasts).toBe(false);
  },
);
