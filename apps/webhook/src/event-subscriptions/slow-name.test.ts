import { holdTimers } from '../../../../test/support/held-timers';
import { EventAddresses } from './event-address';

/** Resolves no name, as name servers that do not answer. */
class SilentAddresses extends EventAddresses {
  override readonly resolve: EventAddresses['resolve'] = () => undefined;
}

test('a name that is not resolved before the console gives up is refused, so that no secret is stored that nobody has seen', async () => {
  const limit = holdTimers(3_000);
  const addresses = new SilentAddresses({ EVENT_ALLOW_HOSTS: [], EVENT_DENY_HOSTS: [] });
  const check = addresses.requireUsable('https://slow.example/');
  limit.release();
  limit.fire();
  await expect(check).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: 'url: the host slow.example was not resolved in time',
  });
});
