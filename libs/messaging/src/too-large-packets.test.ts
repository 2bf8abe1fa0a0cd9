import type { INestMicroservice } from '@nestjs/common';
import { takeNatsUser } from '../../../test/support/servers';
import { startReplica, TEST_SUBJECTS } from '../test/replica';
import { Rpc, wasNotReceived } from '.';
import { REQUIRED_MAX_PAYLOAD_BYTES } from './connection';

const LONG_TIME_LIMIT_OPTIONS = { timeout: 30_000 };

let caller: Rpc;
let service: INestMicroservice;
const logged = jest.fn();

beforeAll(async () => {
  const url = await takeNatsUser();
  service = await startReplica(url, 'service', { log: jest.fn(), warn: jest.fn(), error: logged });
  caller = await Rpc.connect(url, 'caller');
});
afterAll(async () => {
  await caller.close();
  await service.close();
});

test('a request that is larger than NATS takes is PAYLOAD_TOO_LARGE, because another attempt would fail as well', async () => {
  const request = { text: 'x'.repeat(REQUIRED_MAX_PAYLOAD_BYTES), times: 1 };
  const fault: unknown = await caller
    .call(TEST_SUBJECTS.repeat, request, LONG_TIME_LIMIT_OPTIONS)
    .catch((error: unknown) => error);
  expect(fault).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  expect(wasNotReceived(fault)).toBe(false);
});

test('a reply that is larger than NATS takes is INTERNAL and logged, and the service continues', async () => {
  const call = (times: number) => caller.call(TEST_SUBJECTS.repeat, { text: 'x', times }, LONG_TIME_LIMIT_OPTIONS);
  await expect(call(REQUIRED_MAX_PAYLOAD_BYTES)).rejects.toMatchObject({ code: 'INTERNAL' });
  expect(logged.mock.calls.map(([error]) => String(error))).toEqual(['Error: a reply to test.repeat is too large']);
  expect(await call(1)).toEqual({ text: 'x' });
});
