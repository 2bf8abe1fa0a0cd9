import type { ServicePlan, ServiceSettings } from './service-plan';

const NAME = 'batuta-agent';
const UNIT = `/etc/systemd/system/${NAME}.service`;
const ENVIRONMENT = '/etc/batuta-agent/agent.env';

/** The key is only in the environment file, which systemd reads as root: the account of the agent cannot read it again. */
export function systemdPlan(settings: ServiceSettings): ServicePlan {
  return {
    files: [
      { path: ENVIRONMENT, text: environmentText(settings.environment), mode: 0o600 },
      { path: UNIT, text: unitText(settings), mode: 0o644 },
    ],
    start: [
      ['systemctl', 'daemon-reload'],
      ['systemctl', 'enable', NAME],
      ['systemctl', 'restart', NAME],
    ],
    stop: [['systemctl', 'disable', '--now', NAME]],
  };
}

/**
 * DynamicUser makes the account while the service runs, unless it exists. JavaScript engines write code into memory, and the
 * sandbox of a browser makes namespaces, so neither is forbidden.
 */
function unitText({ node, program, user = NAME, stopSeconds }: ServiceSettings): string {
  const isInHome = /^\/(home|root)\//.test(program) || /^\/(home|root)\//.test(node);
  return `[Unit]
Description=Batuta agent
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0

[Service]
ExecStart=${quoted(node)} ${quoted(program)} run
EnvironmentFile=${ENVIRONMENT}
Environment=NODE_ENV=production
User=${user}
DynamicUser=yes
StateDirectory=${NAME}
LogsDirectory=${NAME}
WorkingDirectory=/var/lib/${NAME}
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

/** A word of ExecStart: systemd expands `%` and `$` also between quotes. */
function quoted(path: string): string {
  return `"${path.replace(/["\\]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`;
}
