import { spawnSync } from 'node:child_process';
import fs, { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installService, uninstallService } from './install';
import type { ServicePlan, OsServiceSettings } from './service-plan';
import { installText, servicePlan } from './service-platform';

const SERVICE_SETTINGS: OsServiceSettings = {
  service: 'batuta-agent',
  node: '/usr/bin/node',
  program: '/usr/lib/node_modules/batuta-agent/bin/batuta-agent.js',
  environment: { BATUTA_ROUTER_URL: 'https://r.example.com/?a=1&b=2', BATUTA_AGENT_KEY: 'k$e"y\\`<>' },
  user: undefined,
  stopSeconds: 40,
};
const textOf = (plan: ServicePlan, path: string) => plan.files.find((file) => file.path.endsWith(path))?.text ?? '';

describe('Linux', () => {
  const plan = servicePlan('linux', SERVICE_SETTINGS);

  test('the systemd unit runs the agent as a user of its own, restarts it, and removes rights that it does not need', () => {
    const unit = textOf(plan, '/etc/systemd/system/batuta-agent.service');
    for (const line of [
      'ExecStart="/usr/bin/node" "/usr/lib/node_modules/batuta-agent/bin/batuta-agent.js" run',
      'User=batuta-agent',
      'DynamicUser=yes',
      'Restart=always',
      'RestartPreventExitStatus=2',
      'TimeoutStopSec=40',
      'NoNewPrivileges=yes',
      'ProtectSystem=strict',
      'ProtectHome=yes',
      'CapabilityBoundingSet=',
      'EnvironmentFile=/etc/batuta-agent/agent.env',
      'Environment=BATUTA_AGENT_STATE_FOLDER=/var/lib/batuta-agent',
      'WantedBy=multi-user.target',
    ]) {
      expect(unit.split('\n')).toContain(line);
    }
    expect(unit).not.toMatch(/MemoryDenyWriteExecute|RestrictNamespaces|k\$e/);
  });

  test('the settings are in a file that only root can read, quoted for systemd', () => {
    expect(plan.files.find(({ path }) => path === '/etc/batuta-agent/agent.env')?.mode).toBe(0o600);
    expect(textOf(plan, 'agent.env')).toContain('BATUTA_AGENT_KEY="k\\$e\\"y\\\\\\`<>"\n');
  });

  test('the service is enabled and restarted, and removed in one command', () => {
    expect(plan.startCommands.map((command) => command.join(' '))).toEqual([
      'systemctl daemon-reload',
      'systemctl enable batuta-agent',
      'systemctl restart batuta-agent',
    ]);
    expect(plan.stopCommands).toEqual([['systemctl', 'disable', '--now', 'batuta-agent']]);
  });

  test('a program in a home folder stays readable, and special characters of its path are quoted', () => {
    const unit = textOf(
      servicePlan('linux', { ...SERVICE_SETTINGS, program: '/home/a b/50%$x/agent.js', user: 'bot' }),
      '.service',
    );
    expect(unit).toContain('ExecStart="/usr/bin/node" "/home/a b/50%%$$x/agent.js" run\n');
    expect(unit).toContain('ProtectHome=read-only\n');
    expect(unit).toContain('User=bot\n');
  });

  test('a log file where the unit lets the agent write nothing is refused', () => {
    const planWith = (file: string) => {
      const environment = { ...SERVICE_SETTINGS.environment, BATUTA_AGENT_LOG_FILE: file };
      return servicePlan('linux', { ...SERVICE_SETTINGS, environment });
    };
    expect(() => planWith('/home/ana/agent.log')).toThrow(/must be in \/var\/log\/batuta-agent\//);
    const unit = textOf(planWith('/var/log/batuta-agent/agent.log'), '.service');
    expect(unit).toContain('LogsDirectory=batuta-agent\n');
  });

  test('a file of a setting in a home folder stays readable', () => {
    const environment = { ...SERVICE_SETTINGS.environment, BATUTA_AGENT_CA_FILE: '/home/ana/authority.pem' };
    const unit = textOf(servicePlan('linux', { ...SERVICE_SETTINGS, environment }), '.service');
    expect(unit).toContain('ProtectHome=read-only\n');
  });
});

test('macOS: the plist keeps the agent running with its settings, and only root can read it', () => {
  const plan = servicePlan('darwin', SERVICE_SETTINGS);
  const [file] = plan.files;
  expect(file).toMatchObject({ path: '/Library/LaunchDaemons/batuta-agent.plist', mode: 0o600 });
  const text = (file?.text ?? '').replace(/\n\s*/g, '');
  for (const part of [
    '<key>ProgramArguments</key><array><string>/usr/bin/node</string><string>/usr/lib/node_modules/batuta-agent/bin/batuta-agent.js</string><string>run</string></array>',
    '<key>BATUTA_ROUTER_URL</key><string>https://r.example.com/?a=1&amp;b=2</string>',
    '<key>BATUTA_AGENT_KEY</key><string>k$e&quot;y\\`&lt;&gt;</string>',
    '<key>UserName</key><string>nobody</string>',
    '<key>KeepAlive</key><true/>',
    '<key>RunAtLoad</key><true/>',
    '<key>ExitTimeOut</key><integer>40</integer>',
  ]) {
    expect(text).toContain(part);
  }
  expect(plan.startCommands.at(-1)?.join(' ')).toBe(
    'launchctl bootstrap system /Library/LaunchDaemons/batuta-agent.plist',
  );
  expect(plan.stopCommands.at(-1)?.join(' ')).toBe('launchctl bootout system/batuta-agent');
});

test('macOS: the service starts when launchd has forgotten the earlier one, whose agent may still finish its instances', () => {
  const folder = mkdtempSync(join(tmpdir(), 'batuta-launchd-'));
  try {
    const log = join(folder, 'log');
    // Knows the service until it was asked three times.
    const launchctl = `echo "$1 $2" >> ${log}\n[ $1 != print ] || [ $(grep -c print ${log}) -lt 4 ]`;
    for (const [name, text] of Object.entries({ launchctl, sleep: 'exit 0' }))
      writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    const env = { PATH: `${folder}:${process.env['PATH']}` };
    for (const [program = '', ...args] of servicePlan('darwin', SERVICE_SETTINGS).startCommands)
      spawnSync(program, args, { env });
    const print = 'print system/batuta-agent';
    expect(readFileSync(log, 'utf8').trimEnd().split('\n')).toEqual([
      'bootout system/batuta-agent',
      ...Array.from({ length: 4 }, () => print),
      'bootstrap system',
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('Windows: WinSW runs the agent as LocalService, and only it, the system and administrators read the key', () => {
  const program = String.raw`C:\Users\a&b\batuta-agent.js`;
  const plan = servicePlan('win32', {
    ...SERVICE_SETTINGS,
    node: String.raw`C:\Program Files\nodejs\node.exe`,
    program,
  });
  const text = textOf(plan, 'batuta-agent-service.xml');
  for (const part of [
    String.raw`<executable>C:\Program Files\nodejs\node.exe</executable>`,
    String.raw`<argument>C:\Users\a&amp;b\batuta-agent.js</argument>`,
    '<argument>run</argument>',
    '<env name="BATUTA_AGENT_KEY" value="k$e&quot;y\\`&lt;&gt;"/>',
    String.raw`<username>NT AUTHORITY\LocalService</username>`,
    '<onfailure action="restart" delay="5 sec"/>',
    '<stoptimeout>40 sec</stoptimeout>',
  ]) {
    expect(text).toContain(part);
  }
  expect(plan.needs?.path).toBe(String.raw`C:\ProgramData\batuta-agent\batuta-agent-service.exe`);
  expect(plan.protectCommands).toEqual([expect.arrayContaining(['icacls', '/inheritance:r', '*S-1-5-19:R'])]);
  expect(plan.startCommands.map(([, verb]) => verb)).toEqual(['stop', 'uninstall', 'install', 'start']);
});

test('Windows: an account of the machine reads the key under the name that icacls knows', () => {
  const plan = servicePlan('win32', { ...SERVICE_SETTINGS, user: String.raw`.\bot` });
  expect(plan.protectCommands?.[0]?.at(-1)).toBe('bot:R');
  expect(textOf(plan, '.xml')).toContain(String.raw`<username>.\bot</username>`);
});

test.each(['linux', 'darwin', 'win32'] as const)(
  'the services of two agents on a machine with %s share no file and no command',
  (platform) => {
    const [first, second] = ['batuta-agent', 'batuta-agent-orders'].map((service) =>
      servicePlan(platform, { ...SERVICE_SETTINGS, service }),
    );
    const pathsOf = (plan?: ServicePlan) => plan?.files.map(({ path }) => path) ?? [];
    expect(pathsOf(second).filter((path) => pathsOf(first).includes(path))).toEqual([]);
    const stopOf = (plan?: ServicePlan) => plan?.stopCommands.map((command) => command.join(' ')) ?? [];
    expect(stopOf(second).filter((command) => stopOf(first).includes(command))).toEqual([]);
    const texts =
      second?.files
        .map(({ text }) => text)
        .join('')
        .replaceAll(SERVICE_SETTINGS.program, '') ?? '';
    expect(texts).not.toMatch(/batuta-agent(?!-orders)/);
  },
);

test.each(['linux', 'darwin', 'win32'] as const)(
  'what is shown for %s contains neither the key nor passwords',
  (platform) => {
    const environment = { ...SERVICE_SETTINGS.environment, HTTPS_PROXY: 'http://me:hunter2@proxy:1' };
    const text = installText(platform, { ...SERVICE_SETTINGS, environment });
    expect(text).toContain('BATUTA_AGENT_KEY');
    expect(text).toContain('•••');
    expect(text).not.toMatch(/k\$e|hunter2/);
  },
);

test.each(['linux', 'darwin'] as const)(
  'a shell that gets the commands shown for %s runs the words of the installation',
  (platform) => {
    const shown = installText(platform, SERVICE_SETTINGS).split('# then\n').at(-1) ?? '';
    // Each command becomes the arguments of printf, which writes a word a line.
    const script = shown.replaceAll(/^(?=.)/gm, String.raw`printf '%s\n' `);
    const { stdout } = spawnSync('/bin/sh', ['-c', script], { encoding: 'utf8' });
    expect(stdout.trimEnd().split('\n')).toEqual(servicePlan(platform, SERVICE_SETTINGS).startCommands.flat());
  },
);

test('a setting with a line break is refused, because it could add lines to the files', () => {
  const environment = { BATUTA_AGENT_NAME: 'a\nRestart=no' };
  expect(() => servicePlan('linux', { ...SERVICE_SETTINGS, environment })).toThrow(
    /BATUTA_AGENT_NAME must be one line/,
  );
});

describe('installation', () => {
  const folder = mkdtempSync(join(tmpdir(), 'batuta-service-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const secret = join(folder, 'etc', 'agent.env');
  const plan: ServicePlan = {
    files: [{ path: secret, text: 'KEY=1\n', mode: 0o600 }],
    startCommands: [['stop-old'], ['start-new']],
    stopCommands: [['stop']],
  };

  test('files get their mode, also over an older file, and the commands run in order', () => {
    const ran: string[][] = [];
    const run = (command: string[]) => {
      ran.push(command);
      return 0;
    };
    installService(plan, run);
    writeFileSync(secret, 'old', { mode: 0o644 });
    installService(plan, run);
    expect(readFileSync(secret, 'utf8')).toBe('KEY=1\n');
    expect(statSync(secret).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, 'etc'))).toEqual(['agent.env']);
    expect(ran).toEqual([['stop-old'], ['start-new'], ['stop-old'], ['start-new']]);
  });

  test('a failed last command is an error, and a missing program is named before anything is written', () => {
    expect(() => installService(plan, ([name]) => (name === 'start-new' ? 5 : 0))).toThrow(
      '"start-new" failed with exit code 5',
    );
    expect(() => installService(plan, ([name]) => (name === 'stop-old' ? 5 : 0))).not.toThrow();
    const needs = { path: join(folder, 'wrapper.exe'), from: 'put it there' };
    expect(() => installService({ ...plan, needs }, () => 0)).toThrow(/wrapper\.exe is missing: put it there/);
  });

  test('an installation whose file with the key cannot be protected from other users starts nothing, and removes an older service with the file', () => {
    const ran: string[] = [];
    const run = ([name = '']: string[]) => {
      ran.push(name);
      return name === 'protect' ? 1332 : 0;
    };
    expect(() => installService({ ...plan, protectCommands: [['protect']] }, run)).toThrow(
      '"protect" failed with exit code 1332: without it other users could read the key; the service and its file are removed: install it again',
    );
    expect(ran).toEqual(['protect', ...plan.stopCommands.flat()]);
    expect(existsSync(secret)).toBe(false);
  });

  test.each(['EACCES', 'EPERM'])(
    'without the rights of an administrator (%s) the refusal names the file and who may change it',
    (code) => {
      const refuse = () => {
        throw Object.assign(new Error(`${code}: open`), { code, path: `${secret}.new` });
      };
      const spy = jest.spyOn(fs, 'writeFileSync').mockImplementation(refuse);
      try {
        expect(() => installService(plan, () => 0)).toThrow(
          `only an administrator may change ${secret}: run the command as root (sudo)`,
        );
      } finally {
        spy.mockRestore();
      }
    },
  );

  test('uninstalling twice removes the files once and fails neither time', () => {
    uninstallService(plan, () => 1);
    uninstallService(plan, () => 1);
    expect(existsSync(secret)).toBe(false);
  });
});
