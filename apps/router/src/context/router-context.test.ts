import { withTimeout } from '@batuta/async';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import { createLogger, LOGGER, Metrics } from '@batuta/observability';
import { Test } from '@nestjs/testing';
import { RouterContext, timeoutErrorOf } from './router-context';
import { RouterMetrics } from './router.metrics';

let metrics: Metrics;
let context: RouterContext;

beforeAll(async () => {
  metrics = new Metrics('router');
  const module = await Test.createTestingModule({
    providers: [
      RouterContext,
      RouterMetrics,
      { provide: Metrics, useValue: metrics },
      { provide: Rpc, useValue: {} },
      { provide: LOGGER, useValue: createLogger('router', 'silent') },
    ],
  }).compile();
  context = module.get(RouterContext);
});

afterAll(() => metrics.close());

/** An attempt that fails with one error after the other, and then succeeds. */
const failWithEach = (errors: unknown[]) => async () => {
  if (errors.length > 0) throw errors.shift();
  return 'done';
};

test('a call is repeated after transient errors, and each retry is counted', async () => {
  const errors = [new ApiError('UNAVAILABLE'), new ApiError('INTERNAL'), new Error('other')];
  expect(await context.retry('grant', failWithEach(errors), new AbortController().signal)).toBe('done');
  const counted = await metrics.registry.getSingleMetricAsString('batuta_router_retries_total');
  expect(counted).toMatch(/call="grant".* 3$/m);
});

test('a definite refusal is thrown after one attempt', async () => {
  const attempt = jest.fn(failWithEach([new ApiError('BAD_REQUEST', 'seq: wrong')]));
  const call = context.retry('report', attempt, new AbortController().signal);
  await expect(call).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  expect(attempt).toHaveBeenCalledTimes(1);
});

test('retries end when the signal aborts, also during a pause between attempts', async () => {
  const abort = new AbortController();
  const attempt = () => {
    setImmediate(() => abort.abort());
    return Promise.reject(new ApiError('UNAVAILABLE'));
  };
  await expect(context.retry('claim', attempt, abort.signal)).resolves.toBeUndefined();
});

test('work that exceeds its time limit is UNAVAILABLE', async () => {
  const late = timeoutErrorOf('The look-up');
  await expect(withTimeout(new Promise(() => {}), 5, late)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await expect(withTimeout(Promise.resolve(1), 5_000, late)).resolves.toBe(1);
});
