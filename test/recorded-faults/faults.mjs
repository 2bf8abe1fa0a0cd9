/**
 * Each fault is recorded with a test installation of its own: `before` minutes without it, then `after` minutes with it. `begin` gets the
 * parts of the installation. `effectMs` is how long the external system takes for its answer; `agentCapacity` is how many instances an agent
 * runs at once. The test `operations-recorded-faults.test.ts` says which alerts fire.
 */
export const FAULTS = [
  {
    name: 'database-away',
    before: 6,
    after: 9,
    begin: ({ servers }) => servers.mariadb.signal('SIGKILL'),
  },
  {
    name: 'nats-away',
    before: 6,
    after: 9,
    begin: ({ servers }) => servers.nats.signal('SIGKILL'),
  },
  {
    name: 'webhook-service-away',
    before: 3,
    after: 8,
    begin: ({ services }) => services.webhook.signal('SIGKILL'),
  },
  {
    // The alert compares with the number of agents a quarter of an hour earlier.
    name: 'agents-away',
    before: 16,
    after: 8,
    // Long enough that each agent runs several instances when it is lost.
    effectMs: 5_000,
    begin: ({ agents }) => agents.forEach((agent) => agent.signal('SIGKILL')),
  },
  {
    // Each agent runs only two instances at a time: while both wait for the slow external system, all others wait in the queue.
    name: 'external-system-slow',
    before: 3,
    after: 25,
    agentCapacity: 2,
    begin: ({ effects }) => {
      effects.delayMs = 30_000;
    },
  },
];
