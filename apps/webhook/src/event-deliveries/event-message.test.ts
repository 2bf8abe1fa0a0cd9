import { keyOfSecret } from '../event-subscriptions/event-secret';
import { messageOfEvent, signedHeaders } from './event-message';

test('the signature is that of the example of the specification of Standard Webhooks', () => {
  const key = keyOfSecret('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
  const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}' };
  expect(signedHeaders(message, [key], new Date(1_614_265_330_000))).toMatchObject({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('the header of an event has one signature for each key, separated by spaces', () => {
  const keys = [Buffer.from('new'), Buffer.from('old')];
  const { 'webhook-signature': signatures = '' } = signedHeaders({ id: 'evt_1', body: '{}' }, keys, new Date(0));
  expect(signatures.split(' ').map((signature) => signature.slice(0, 3))).toEqual(['v1,', 'v1,']);
});

test('the body of an event has its data unchanged, and its id has no dot, which separates the signed parts', () => {
  const data = '{"a":1.0,"b":"“x”"}';
  const given = { eventID: 'i-1', event: 'instance.error', createdAt: new Date(0), data };
  const { id, body } = messageOfEvent(given);
  expect(body).toBe(`{"type":"instance.error","timestamp":"1970-01-01T00:00:00.000Z","data":${data}}`);
  expect(id).toBe('evt_i-1');
});
