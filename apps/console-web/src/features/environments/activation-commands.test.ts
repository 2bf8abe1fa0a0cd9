import { activationCommand, PLATFORMS } from './activation-commands';

const place = { key: 'bak_secret', router: 'https://router.example.com' };

test.each(PLATFORMS)('the command for %s has the key and the address of the router', (platform) => {
  const command = activationCommand(platform, place);
  expect(command).toContain(`'${place.router}'`);
  expect(command).toContain(`'${place.key}'`);
});

test.each(PLATFORMS)('no command-line option contains the key on %s', (platform) => {
  expect(activationCommand(platform, place)).not.toMatch(/--key[ =]/);
});
