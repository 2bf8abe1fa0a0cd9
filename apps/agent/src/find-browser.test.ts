import { findBrowser, type MachineFacts } from './find-browser';

const machineWith = (platform: NodeJS.Platform, env: NodeJS.ProcessEnv, ...programs: string[]): MachineFacts => ({
  platform,
  env,
  isProgram: (path) => programs.includes(path),
});

test.each<[string, MachineFacts, string]>([
  [
    'Linux',
    machineWith('linux', { PATH: '/bin:/opt/x' }, '/opt/x/chromium', '/usr/bin/google-chrome'),
    '/opt/x/chromium',
  ],
  ['Linux without PATH', machineWith('linux', {}, '/usr/bin/google-chrome'), '/usr/bin/google-chrome'],
  [
    'macOS',
    machineWith('darwin', { HOME: '/Users/a' }, '/Users/a/Applications/Chromium.app/Contents/MacOS/Chromium'),
    '/Users/a/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  [
    'Windows',
    machineWith(
      'win32',
      { ProgramFiles: 'C:\\Program Files', 'ProgramFiles(x86)': 'C:\\Program Files (x86)' },
      'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
    ),
    'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
  ],
])('the browser is found in the usual places of %s', (_system, machine, path) => {
  expect(findBrowser('', machine)).toBe(path);
});

test.each<[string, string, string | undefined]>([
  ['names a program', '/opt/own/chrome', '/opt/own/chrome'],
  ['names nothing that runs', '/opt/missing', undefined],
  ['is off', 'off', undefined],
])('a browser setting that %s decides alone', (_rule, setting, expected) => {
  expect(findBrowser(setting, machineWith('linux', {}, '/opt/own/chrome', '/usr/bin/chromium'))).toBe(expected);
});
