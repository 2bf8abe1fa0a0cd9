import { join } from 'node:path';
import servers from '../../scripts/lib/servers.cjs';

/**
 * Starts the reference agent of a release. Executions of this build's agent share its OS process. `router` is the balancer's URL or that of a
 * replica.
 */
export async function startAgent({ folder, release, name, router, activationKey }) {
  const child = await servers.startChild({
    command: process.execPath,
    args: [join(release.folder, 'dist', 'apps', 'agent', 'main.js')],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      BATUTA_ROUTER_URL: router,
      BATUTA_AGENT_KEY: activationKey,
      BATUTA_AGENT_NAME: name,
      BATUTA_AGENT_CAPACITY: '100',
      // Only this build gets these settings, which a previous release (one with a commit) may not know.
      ...(release.commit === undefined && { BATUTA_AGENT_STATE_FOLDER: 'none', BATUTA_AGENT_ISOLATION: 'none' }),
    },
    logFile: join(folder, `${name}.log`),
  });
  return { name, stop: () => child.stop() };
}
