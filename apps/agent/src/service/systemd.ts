import type { ServicePlan, OsServiceSettings } from './service-plan';

const environmentFileOf = (service: string) => `/etc/${service}/agent.env`;

/** The key is only in the environment file, which systemd reads as root: the account of the agent cannot read it again. */
export function systemdPlan(settings: OsServiceSettings): ServicePlan {
  const { service } = settings;
  requireWritableLog(settings);
  return {
    files: [
      { path: environmentFileOf(service), text: environmentText(settings.environment), mode: 0o600 },
      { path: `/etc/systemd/system/${service}.service`, text: unitText(settings), mode: 0o644 },
    ],
    startCommands: [
      ['systemctl', 'daemon-reload'],
      ['systemctl', 'enable', service],
      ['systemctl', 'restart', service],
    ],
    stopCommands: [['systemctl', 'disable', '--now', service]],
  };
}

/**
 * An agent that cannot write its log ends, and systemd would start it again without end. The unit permits also /tmp, where the log would not
 * last (PrivateTmp); a place that a drop-in permits (ReadWritePaths) is not known here, so that the drop-in sets the log file itself.
 */
function requireWritableLog({ service, environment: { BATUTA_AGENT_LOG_FILE: file } }: OsServiceSettings): void {
  const folders = [`/var/log/${service}/`, `/var/lib/${service}/`];
  if (file !== undefined && !folders.some((folder) => file.startsWith(folder)))
    throw new Error(
      `BATUTA_AGENT_LOG_FILE: must be in ${folders.join(' or ')}, because the unit lets the service keep files nowhere else`,
    );
}

/**
 * DynamicUser creates the account while the service runs, unless it exists. Executable memory and namespaces stay
 * allowed, because JavaScript engines and the sandbox of a browser need them.
 */
function unitText({ service, node, program, environment, user = service, stopSeconds }: OsServiceSettings): string {
  const isInHome = [node, program, ...Object.values(environment)].some((text) => /^\/(home|root)\//.test(text));
  return `[Unit]
Description=Batuta agent
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0

[Service]
ExecStart=${quotedWord(node)} ${quotedWord(program)} run
EnvironmentFile=${environmentFileOf(service)}
Environment=NODE_ENV=production
Environment=BATUTA_AGENT_STATE_FOLDER=/var/lib/${service}
User=${user}
DynamicUser=yes
StateDirectory=${service}
LogsDirectory=${service}
WorkingDirectory=/var/lib/${service}
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
