export const PLATFORMS = ['linux', 'windows', 'docker'] as const;
export type Platform = (typeof PLATFORMS)[number];

/** Shown where the operator has not set the address of the router. */
export const ROUTER_PLACEHOLDER = 'https://router.example.com';

/** The path of the agent's npm package at the console: no registry has it. */
export const AGENT_PACKAGE_PATH = '/downloads/batuta-agent.tgz';
/** The image that runs the agent's package where the operator has no image of the agent. */
const NODE_IMAGE = 'node:24-bookworm-slim';

/** What the commands of one environment contain. */
interface CommandValues {
  environmentID: string;
  /** The activation key. */
  key: string;
  /** The URL of the router, or ROUTER_PLACEHOLDER. */
  router: string;
  /** The URL of the agent's npm package. */
  package: string;
  /** The container image of the agent; null where the operator has none. */
  image: string | null;
}

const COMMANDS: Record<Platform, (values: CommandValues) => string[]> = {
  // `--prefix` names a folder of the user, because the default folder belongs to root. Agents of two environments on one machine must not
  // share the file with the key.
  linux: ({ environmentID, key, router, package: url }) => [
    `npm install --global --prefix "$HOME/.local" '${url}'`,
    `(umask 077; printf %s '${key}' > batuta-agent-${environmentID}.key)`,
    `"$HOME/.local/bin/batuta-agent" --url '${router}' --key-file batuta-agent-${environmentID}.key`,
  ],
  windows: ({ key, router, package: url }) => [
    `npm install --global '${url}'`,
    `$env:BATUTA_AGENT_KEY = '${key}'`,
    `batuta-agent --url '${router}'`,
  ],
  // Agents of two environments must not share the volume with their state, either. The time to stop, in seconds, is longer than the agent
  // needs: it finishes its executions for up to BATUTA_AGENT_DRAIN_SECONDS (30).
  docker: ({ environmentID, key, router, package: url, image }) => [
    `(umask 077; printf '%s\\n' 'BATUTA_ROUTER_URL=${router}' 'BATUTA_AGENT_KEY=${key}' > batuta-agent-${environmentID}.env)`,
    image === null
      ? `docker run --init --stop-timeout 50 --user node --env-file batuta-agent-${environmentID}.env ${NODE_IMAGE} npx --yes '${url}'`
      : `docker run --init --stop-timeout 50 --volume batuta-agent-${environmentID}:/var/lib/batuta-agent --env-file batuta-agent-${environmentID}.env '${image}'`,
  ],
};

/**
 * The lines to paste on the machine of an agent. The activation key goes into a file or a variable: everybody on a machine can read
 * the options of its processes.
 */
export function activationCommand(platform: Platform, values: CommandValues): string {
  return COMMANDS[platform](values).join('\n');
}
