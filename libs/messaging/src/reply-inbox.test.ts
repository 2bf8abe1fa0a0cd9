import { connect } from '@nats-io/transport-node';
import { takeNatsUser } from '../../../test/support/servers';
import { connectionOptions } from './connection';
import { ReplyInbox } from './reply-inbox';

test('a reply inbox subscribes to replies with the first request and only once: a user without an inbox may send notifications', async () => {
  const connection = await connect(connectionOptions(await takeNatsUser(), 'inbox'));
  const subscribe = jest.spyOn(connection, 'subscribe');
  const inbox = new ReplyInbox(connection, '_INBOX');
  await connection.flush();
  expect(subscribe).not.toHaveBeenCalled();

  const ask = () =>
    new Promise((resolve) => {
      const onReply = (reply: unknown) => {
        resolve(reply);
        return false;
      };
      inbox.request('test.nobody', '{}', { timeout: 60_000, onReply });
    });
  expect(await Promise.all([ask(), ask()])).toEqual(['unreceived', 'unreceived']);
  expect(subscribe).toHaveBeenCalledTimes(1);
  await inbox.close();
});
