import { activationCommand, PLATFORMS } from './activation-commands';

const values = {
  environmentID: '01900000-0000-7000-8000-000000000001',
  key: 'bak_secret',
  router: 'https://router.example.com',
  package: 'https://console.example.com/downloads/batuta-agent.tgz',
  image: null,
};

test.each(PLATFORMS)(
  'the activation command for %s has the key, the address of the router and the package of the console',
  (platform) => {
    const command = activationCommand(platform, values);
    expect(command).toContain(`${values.router}'`);
    expect(command).toContain(`${values.key}'`);
    expect(command).toContain(`'${values.package}'`);
  },
);

test.each(PLATFORMS)('the activation command for %s has the key in no option of a program', (platform) => {
  expect(activationCommand(platform, values)).not.toMatch(/--key[ =]|-e |--env /);
});

// Anybody could take the name of the agent in a registry.
test.each(PLATFORMS)('the activation command for %s asks no registry for the agent by its name', (platform) => {
  expect(activationCommand(platform, values)).not.toMatch(/(install|--global|npx|--yes|slim) batuta-agent/);
});

test.each(['linux', 'docker'] as const)(
  'the activation command for %s writes the key into a file that no other environment uses',
  (platform) => {
    const fileOf = (environmentID: string) =>
      /> ([^ )]+)\)/.exec(activationCommand(platform, { ...values, environmentID }))?.[1];
    const file = fileOf(values.environmentID);
    expect(file).toContain(values.environmentID);
    expect(fileOf('01900000-0000-7000-8000-000000000002')).not.toBe(file);
    expect(activationCommand(platform, values).split('\n').at(-1)).toContain(`-file ${file}`);
  },
);

test('the activation command for docker runs the image of the operator where there is one, with a file and a volume of the environment', () => {
  const command = activationCommand('docker', { ...values, image: 'registry.example.com/batuta-agent:1' });
  expect(command.split('\n').at(-1)).toBe(
    "docker run --init --stop-timeout 50 --volume batuta-agent-01900000-0000-7000-8000-000000000001:/var/lib/batuta-agent --env-file batuta-agent-01900000-0000-7000-8000-000000000001.env 'registry.example.com/batuta-agent:1'",
  );
});
