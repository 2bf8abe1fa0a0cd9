import type { ServicePlan, OsServiceSettings } from './service-plan';
import { xmlText } from './xml';

const SERVICE_FOLDER = String.raw`C:\ProgramData\batuta-agent`;
const WRAPPER_FILE = String.raw`${SERVICE_FOLDER}\batuta-agent-service.exe`;
const CONFIGURATION_FILE = String.raw`${SERVICE_FOLDER}\batuta-agent-service.xml`;
const LOCAL_SERVICE = String.raw`NT AUTHORITY\LocalService`;

/**
 * Node itself cannot be a Windows service, so the service is WinSW, a program that runs another program as a service.
 * WinSW runs as the account of the service and reads the configuration file that lies beside it under its own name.
 */
export function windowsPlan(settings: OsServiceSettings): ServicePlan {
  const { user = LOCAL_SERVICE } = settings;
  return {
    files: [{ path: CONFIGURATION_FILE, text: configurationText(settings, user), mode: 0o600 }],
    needs: {
      path: WRAPPER_FILE,
      from: 'put the program of WinSW 3 (https://github.com/winsw/winsw, MIT licence) there under this name',
    },
    start: [
      // Only the system, administrators and the account of the service may read the key. Accounts are named by SID,
      // because Windows translates their names.
      [
        'icacls',
        CONFIGURATION_FILE,
        '/inheritance:r',
        '/grant:r',
        '*S-1-5-18:F',
        '*S-1-5-32-544:F',
        `${granteeOf(user)}:R`,
      ],
      [WRAPPER_FILE, 'stop', CONFIGURATION_FILE],
      [WRAPPER_FILE, 'uninstall', CONFIGURATION_FILE],
      [WRAPPER_FILE, 'install', CONFIGURATION_FILE],
      [WRAPPER_FILE, 'start', CONFIGURATION_FILE],
    ],
    stop: [
      [WRAPPER_FILE, 'stop', CONFIGURATION_FILE],
      [WRAPPER_FILE, 'uninstall', CONFIGURATION_FILE],
    ],
  };
}

function granteeOf(user: string): string {
  return user === LOCAL_SERVICE ? '*S-1-5-19' : user;
}

function configurationText({ node, program, environment, stopSeconds }: OsServiceSettings, user: string): string {
  const variables = Object.entries({ NODE_ENV: 'production', ...environment });
  const entries = variables.map(([name, value]) => `  <env name="${xmlText(name)}" value="${xmlText(value)}"/>\n`);
  return `<service>
  <id>batuta-agent</id>
  <name>Batuta agent</name>
  <description>Runs the processes of a Batuta environment.</description>
  <executable>${xmlText(node)}</executable>
  <argument>${xmlText(program)}</argument>
  <argument>run</argument>
${entries.join('')}  <serviceaccount>
    <username>${xmlText(user)}</username>
  </serviceaccount>
  <startmode>Automatic</startmode>
  <onfailure action="restart" delay="5 sec"/>
  <stoptimeout>${stopSeconds} sec</stoptimeout>
  <log mode="roll-by-size">
    <sizeThreshold>10240</sizeThreshold>
    <keepFiles>5</keepFiles>
  </log>
</service>
`;
}
