export const PLATFORMS = ['linux', 'windows', 'docker'] as const;
export type Platform = (typeof PLATFORMS)[number];

/** Shown where the operator has not set the address of the router. */
export const ROUTER_PLACEHOLDER = 'https://router.example.com';

interface AgentPlace {
  key: string;
  router: string;
}

const COMMANDS: Record<Platform, (place: AgentPlace) => string[]> = {
  linux: ({ key, router }) => [
    'npm install --global batuta-agent',
    `(umask 077; printf %s '${key}' > batuta-agent.key)`,
    `batuta-agent --url '${router}' --key-file batuta-agent.key`,
  ],
  windows: ({ key, router }) => [
    'npm install --global batuta-agent',
    `$env:BATUTA_AGENT_KEY = '${key}'`,
    `batuta-agent --url '${router}'`,
  ],
  docker: ({ key, router }) => [
    `docker run --init -e BATUTA_ROUTER_URL='${router}' -e BATUTA_AGENT_KEY='${key}' batuta-agent`,
  ],
};

/**
 * The lines to paste on the machine of an agent. The activation key goes into a file or a variable: everybody on a machine can read
 * the options of its processes.
 */
export function activationCommand(platform: Platform, place: AgentPlace): string {
  return COMMANDS[platform](place).join('\n');
}
