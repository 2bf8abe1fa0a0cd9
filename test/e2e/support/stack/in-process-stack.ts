import { createAllInOne } from '../../../../apps/all-in-one/src/app';
import { readAllInOneConfig } from '../../../../apps/all-in-one/src/config';
import { useCheapHashes } from '../../../../apps/console/test/cheap-hashes';
import { retryConnection } from './database';
import type { Program } from './program';
import { startTestServers, type ServersOptions } from './servers';
import { makeAgentStarter, stopAll, type Stack } from './stack';

/**
 * Starts all services in the OS process of the test, as `apps/all-in-one` composes them. This function has a file of its own, because jest takes
 * seconds to load the services, and tests with services in separate OS processes do not need to load them.
 */
export async function startStack(options: ServersOptions = {}): Promise<Stack> {
  useCheapHashes();
  const servers = await startTestServers(options);
  const agents: Program[] = [];
  try {
    const services = await retryConnection(() => createAllInOne(readAllInOneConfig(servers.env)));
    return {
      ...servers,
      ...services.urls,
      startAgent: makeAgentStarter(agents, services.urls.router),
      async stop() {
        await stopAll(agents);
        await services.close();
        await servers.stop();
      },
    };
  } catch (error) {
    await servers.stop();
    throw error;
  }
}
