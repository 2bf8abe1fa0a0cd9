import type { ServicePlan, ServiceSettings } from './service-plan';
import { xmlText } from './xml';

const LABEL = 'batuta-agent';
const PLIST = `/Library/LaunchDaemons/${LABEL}.plist`;
/** launchd takes it as a decimal number. */
const UMASK = 0o077;
const LOG = `/Library/Logs/${LABEL}.log`;

/** launchd reads the plist as root and passes the settings on, so that only root can read the key in it. */
export function launchdPlan(settings: ServiceSettings): ServicePlan {
  return {
    files: [{ path: PLIST, text: plistText(settings), mode: 0o600 }],
    start: [
      // An earlier one ends first; without one the command fails, which does not matter.
      ['launchctl', 'bootout', `system/${LABEL}`],
      ['launchctl', 'bootstrap', 'system', PLIST],
    ],
    stop: [['launchctl', 'bootout', `system/${LABEL}`]],
  };
}

function plistText({ node, program, environment, user = 'nobody', stopSeconds }: ServiceSettings): string {
  const variables = Object.entries({ NODE_ENV: 'production', ...environment });
  const entries = variables.map(([name, value]) => `    <key>${xmlText(name)}</key>\n    ${string(value)}\n`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  ${string(LABEL)}
  <key>ProgramArguments</key>
  <array>
    ${string(node)}
    ${string(program)}
    ${string('run')}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${entries.join('')}  </dict>
  <key>UserName</key>
  ${string(user)}
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
  ${string(LOG)}
</dict>
</plist>
`;
}

function string(text: string): string {
  return `<string>${xmlText(text)}</string>`;
}
