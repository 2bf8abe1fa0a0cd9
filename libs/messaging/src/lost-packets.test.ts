import { openLossyProxy } from '../../../test/support/dropped-packets';
import { takeNatsUser } from '../../../test/support/servers';
import { waitUntil } from '../../../test/support/wait-until';
import { TEST_SUBJECTS } from '../test/replica';
import { Rpc } from '.';

test('a connection whose packets are lost is closed, although it has many unsent bytes', async () => {
  const proxy = await openLossyProxy(await takeNatsUser());
  const rpc = await Rpc.connect(proxy.url, 'lossy');
  await proxy.dropBytes();
  // Larger than the kernel's send buffer of a socket.
  const request = { n: 1, filler: 'x'.repeat(7_000_000) };
  const calls = Array.from({ length: 4 }, () => rpc.call(TEST_SUBJECTS.double, request, { timeout: 60_000 }));
  const ends = Promise.allSettled(calls);
  await waitUntil('the connection is given up', () => !rpc.connected);
  await proxy.restore();
  await waitUntil('the connection is back', () => rpc.connected);
  await rpc.close();
  const codes = (await ends).map((end) => (end.status === 'rejected' ? Object(end.reason).code : 'answered'));
  expect(codes).toEqual(Array.from({ length: 4 }, () => 'UNAVAILABLE'));
  await proxy.close();
});
