import type { ServicePlan, OsServiceSettings } from './service-plan';
import { xmlText } from './xml';

const SERVICE_LABEL = 'batuta-agent';
const PLIST_FILE = `/Library/LaunchDaemons/${SERVICE_LABEL}.plist`;
/** The umask of the service, which launchd takes as a decimal number. */
const UMASK = 0o077;
const LOG_FILE = `/Library/Logs/${SERVICE_LABEL}.log`;

/** launchd reads the plist as root and passes the settings on, so that only root can read the key in it. */
export function launchdPlan(settings: OsServiceSettings): ServicePlan {
  return {
    files: [{ path: PLIST_FILE, text: plistText(settings), mode: 0o600 }],
    start: [
      // Ends an earlier service first. The command may fail, because there may be no earlier service.
      ['launchctl', 'bootout', `system/${SERVICE_LABEL}`],
      ['launchctl', 'bootstrap', 'system', PLIST_FILE],
    ],
    stop: [['launchctl', 'bootout', `system/${SERVICE_LABEL}`]],
  };
}

function plistText({ node, program, environment, user = 'nobody', stopSeconds }: OsServiceSettings): string {
  const variables = Object.entries({ NODE_ENV: 'production', ...environment });
  const entries = variables.map(([name, value]) => `    <key>${xmlText(name)}</key>\n    ${stringElement(value)}\n`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  ${stringElement(SERVICE_LABEL)}
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
  ${stringElement(LOG_FILE)}
</dict>
</plist>
`;
}

function stringElement(text: string): string {
  return `<string>${xmlText(text)}</string>`;
}
