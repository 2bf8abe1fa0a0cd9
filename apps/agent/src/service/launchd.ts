import type { ServicePlan, OsServiceSettings } from './service-plan';
import { escapeXml } from './xml';

/** The umask of the service, which launchd takes as a decimal number. */
const UMASK = 0o077;

/** How much longer than its agent launchd may know a service. */
const END_SECONDS = 10;
/**
 * Waits until launchd no longer knows the service `$0`, for at most `$1` seconds: `bootout` may return while the agent still finishes its
 * instances, and until then `bootstrap` fails with an input/output error.
 */
const AWAIT_END =
  'for second in $(seq "$1"); do launchctl print "system/$0" >/dev/null 2>&1 || exit 0; sleep 1; done; exit 1';

/** launchd reads the plist as root and passes the settings on, so that only root can read the key in it. */
export function launchdPlan(settings: OsServiceSettings): ServicePlan {
  const { service } = settings;
  const plistFile = `/Library/LaunchDaemons/${service}.plist`;
  return {
    files: [{ path: plistFile, text: plistText(settings), mode: 0o600 }],
    startCommands: [
      // Ends an earlier service first. The command may fail, because there may be no earlier service.
      ['launchctl', 'bootout', `system/${service}`],
      ['/bin/sh', '-c', AWAIT_END, service, `${settings.stopSeconds + END_SECONDS}`],
      ['launchctl', 'bootstrap', 'system', plistFile],
    ],
    stopCommands: [['launchctl', 'bootout', `system/${service}`]],
  };
}

function plistText({ service, node, program, environment, user = 'nobody', stopSeconds }: OsServiceSettings): string {
  const variables = Object.entries({ NODE_ENV: 'production', ...environment });
  const entries = variables.map(([name, value]) => `    <key>${escapeXml(name)}</key>\n    ${stringElement(value)}\n`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  ${stringElement(service)}
  <key>ProgramArguments</key>
  <array>
    ${stringElement(node)}
    ${stringElement(program)}
    ${stringElement('run')}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${entries.join('')}  </dict>
  <key>UserName</key>
  ${stringElement(user)}
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <true/>
  <key>ThrottleInterval</key>
  <integer>5</integer>
  <key>ExitTimeOut</key>
  <integer>${stopSeconds}</integer>
  <key>Umask</key>
  <integer>${UMASK}</integer>
  <key>StandardErrorPath</key>
  ${stringElement(`/Library/Logs/${service}.log`)}
</dict>
</plist>
`;
}

function stringElement(text: string): string {
  return `<string>${escapeXml(text)}</string>`;
}
