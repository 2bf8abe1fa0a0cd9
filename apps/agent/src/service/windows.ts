import { SERVICE_NAME, type ServicePlan, type OsServiceSettings } from './service-plan';
import { escapeXml } from './xml';

const LOCAL_SERVICE = String.raw`NT AUTHORITY\LocalService`;

/**
 * Node itself cannot be a Windows service, so the service is WinSW, a program that runs another program as a service.
 * WinSW runs as the account of the service and reads the configuration file that lies beside it under its own name.
 */
export function windowsPlan(settings: OsServiceSettings): ServicePlan {
  const { service, user = LOCAL_SERVICE } = settings;
  const wrapperFile = `C:\\ProgramData\\${service}\\${service}-service.exe`;
  const configurationFile = `C:\\ProgramData\\${service}\\${service}-service.xml`;
  return {
    files: [{ path: configurationFile, text: configurationText(settings, user), mode: 0o600 }],
    needs: {
      path: wrapperFile,
      from: 'put the program of WinSW 3 (https://github.com/winsw/winsw, MIT licence) there under this name',
    },
    // Only the system, administrators and the account of the service may read the key. Accounts are named by SID,
    // because Windows translates their names.
    protectCommands: [
      [
        'icacls',
        configurationFile,
        '/inheritance:r',
        '/grant:r',
        '*S-1-5-18:F',
        '*S-1-5-32-544:F',
        `${granteeOf(user)}:R`,
      ],
    ],
    startCommands: [
      [wrapperFile, 'stop', configurationFile],
      [wrapperFile, 'uninstall', configurationFile],
      [wrapperFile, 'install', configurationFile],
      [wrapperFile, 'start', configurationFile],
    ],
    stopCommands: [
      [wrapperFile, 'stop', configurationFile],
      [wrapperFile, 'uninstall', configurationFile],
    ],
  };
}

/** icacls does not know the `.` with which services name an account of the machine. */
function granteeOf(user: string): string {
  return user === LOCAL_SERVICE ? '*S-1-5-19' : user.replace(/^\.\\/, '');
}

function configurationText(
  { service, node, program, environment, stopSeconds }: OsServiceSettings,
  user: string,
): string {
  const variables = Object.entries({ NODE_ENV: 'production', ...environment });
  const entries = variables.map(([name, value]) => `  <env name="${escapeXml(name)}" value="${escapeXml(value)}"/>\n`);
  return `<service>
  <id>${service}</id>
  <name>${service === SERVICE_NAME ? 'Batuta agent' : `Batuta agent (${service})`}</name>
  <description>Runs the processes of a Batuta environment.</description>
  <executable>${escapeXml(node)}</executable>
  <argument>${escapeXml(program)}</argument>
  <argument>run</argument>
${entries.join('')}  <serviceaccount>
    <username>${escapeXml(user)}</username>
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
