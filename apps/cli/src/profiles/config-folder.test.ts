import { configFolder } from './config-folder';

test.each<[string, NodeJS.Platform, NodeJS.ProcessEnv, string]>([
  ['Linux', 'linux', {}, '/home/ana/.config/batuta'],
  ['Linux with XDG', 'linux', { XDG_CONFIG_HOME: '/etc/ana' }, '/etc/ana/batuta'],
  ['Linux with a relative XDG', 'linux', { XDG_CONFIG_HOME: 'ana' }, '/home/ana/.config/batuta'],
  ['macOS', 'darwin', {}, '/home/ana/Library/Application Support/batuta'],
  ['macOS with XDG', 'darwin', { XDG_CONFIG_HOME: '/etc/ana' }, '/etc/ana/batuta'],
])('the folder of settings on %s is that of its conventions', (_, platform, env, folder) => {
  expect(configFolder({ env, platform, homeFolder: '/home/ana' })).toBe(folder);
});

test('the folder of settings on Windows is in APPDATA, or in the roaming profile without it', () => {
  const home = { platform: 'win32', homeFolder: 'C:\\Users\\ana' } as const;
  const roaming = 'C:\\Users\\ana\\AppData\\Roaming';
  expect(configFolder({ ...home, env: {} })).toBe(`${roaming}\\batuta`);
  expect(configFolder({ ...home, env: { APPDATA: 'D:\\Data' } })).toBe('D:\\Data\\batuta');
});
