import { posix, win32 } from 'node:path';
import type { Terminal } from '../terminal/terminal';

/** The settings folder of this user according to the conventions of the system. */
export function configFolder({ env, platform, homeFolder }: Pick<Terminal, 'env' | 'platform' | 'homeFolder'>): string {
  if (platform === 'win32') return win32.join(env['APPDATA'] || win32.join(homeFolder, 'AppData', 'Roaming'), 'batuta');
  const xdg = env['XDG_CONFIG_HOME'];
  // The XDG specification says that a relative path is ignored.
  if (xdg !== undefined && posix.isAbsolute(xdg)) return posix.join(xdg, 'batuta');
  if (platform === 'darwin') return posix.join(homeFolder, 'Library', 'Application Support', 'batuta');
  return posix.join(homeFolder, '.config', 'batuta');
}
