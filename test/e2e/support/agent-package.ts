import { execFile, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as s from '../../support/shape';

const ROOT = join(__dirname, '..', '..', '..');
const PACKAGE = join(ROOT, 'dist', 'packages', 'agent');
const LIMIT_MS = 120_000;

const manifestShape = s.object({ dependencies: s.dictionary(s.text()) });

/** The npm package of the agent, packed and installed in a folder of its own, outside of this repository. */
export class InstalledAgent {
  private constructor(readonly folder: string) {}

  static install(): InstalledAgent {
    const folder = mkdtempSync(join(tmpdir(), 'batuta-agent-package-'));
    writeFileSync(join(folder, 'package.json'), '{"name":"customer","private":true}');
    const tarball = npm(folder, 'pack', PACKAGE, '--pack-destination', folder, '--silent').trim();
    // The registry's part: what the package depends on, from the packages that are installed here.
    for (const name of dependenciesOf(PACKAGE)) {
      cpSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name), { recursive: true });
    }
    npm(folder, 'install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', `./${tarball}`);
    return new InstalledAgent(folder);
  }

  get program(): string {
    return join(this.folder, 'node_modules', '.bin', 'batuta-agent');
  }

  /** Runs the program to its end. */
  run(args: string[]): Promise<{ status: number | null; stdout: string }> {
    return new Promise((resolve) => {
      const options = { cwd: this.folder, env: { PATH: process.env['PATH'] }, timeout: LIMIT_MS };
      const child = execFile(process.execPath, [this.program, ...args], options, (_error, stdout) => {
        resolve({ status: child.exitCode, stdout });
      });
    });
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

function npm(folder: string, ...args: string[]): string {
  const script = process.env['npm_execpath'];
  const [command, first] = script?.endsWith('.js') ? [process.execPath, [script]] : ['npm', []];
  const { status, stdout, stderr } = spawnSync(command, [...first, ...args], {
    cwd: folder,
    encoding: 'utf8',
    timeout: LIMIT_MS,
  });
  if (status !== 0) throw new Error(`npm ${args[0]} failed: ${stdout}${stderr}`);
  return stdout;
}

/** The names of all packages that a package needs; those inside another package's folder come with it. */
function dependenciesOf(folder: string, found = new Set<string>()): Set<string> {
  const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (!manifestShape.matches(manifest)) return found;
  for (const name of Object.keys(manifest.dependencies)) {
    const installed = join(ROOT, 'node_modules', name);
    if (!found.has(name) && existsSync(installed)) dependenciesOf(installed, found.add(name));
  }
  return found;
}
