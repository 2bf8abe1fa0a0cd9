import type { ServicePlan, OsServiceSettings } from './service-plan';

const SERVICE_NAME = 'batuta-agent';
const UNIT_FILE = `/etc/systemd/system/${SERVICE_NAME}.service`;
const ENVIRONMENT_FILE = '/etc/batuta-agent/agent.env';

/** The key is only in the environment file, which systemd reads as root: the account of the agent cannot read it again. */
export function systemdPlan(settings: OsServiceSettings): ServicePlan {
  return {
    files: [
      { path: ENVIRONMENT_FILE, text: environmentText(settings.environment), mode: 0o600 },
      { path: UNIT_FILE, text: unitText(settings), mode: 0o644 },
    ],
    start: [
      ['systemctl', 'daemon-reload'],
      ['systemctl', 'enable', SERVICE_NAME],
      ['systemctl', 'restart', SERVICE_NAME],
    ],
    stop: [['systemctl', 'disable', '--now', SERVICE_NAME]],
  };
}

/**
 * DynamicUser creates the account while the service runs, unless it exists. Executable memory and namespaces stay
 * allowed, because JavaScript engines and the sandbox of a browser need them.
 */
function unitText({ node, program, environment, user = SERVICE_NAME, stopSeconds }: OsServiceSettings): string {
  const isInHome = [node, program, ...Object.values(environment)].some((text) => /^\/(home|root)\//.test(text));
  return `[Unit]
Description=Batuta agent
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0

[Service]
ExecStart=${quotedWord(node)} ${quotedWord(program)} run
EnvironmentFile=${ENVIRONMENT_FILE}
Environment=NODE_ENV=production
Environment=BATUTA_AGENT_STATE_FOLDER=/var/lib/${SERVICE_NAME}
User=${user}
DynamicUser=yes
StateDirectory=${SERVICE_NAME}
LogsDirectory=${SERVICE_NAME}
WorkingDirectory=/var/lib/${SERVICE_NAME}
Restart=always
RestartSec=5
# Wrong settings stay wrong.
RestartPreventExitStatus=2
KillMode=mixed
TimeoutStopSec=${stopSeconds}

UMask=0077
NoNewPrivileges=yes
CapabilityBoundingSet=
ProtectSystem=strict
ProtectHome=${isInHome ? 'read-only' : 'yes'}
PrivateTmp=yes
PrivateDevices=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
SystemCallArchitectures=native

[Install]
WantedBy=multi-user.target
`;
}

function environmentText(environment: Record<string, string>): string {
  const lines = Object.entries(environment).map(([name, value]) => `${name}="${value.replace(/["\\$`]/g, '\\$&')}"\n`);
  return `# Settings of the Batuta agent. The activation key is a secret: only root may read this file.\n${lines.join('')}`;
}

/** Quotes a word of ExecStart and escapes `%` and `$`, which systemd expands also between quotes. */
function quotedWord(path: string): string {
  return `"${path.replace(/["\\]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`;
}
