import { execFile, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as s from '../../../support/shape';

const ROOT = join(__dirname, '..', '..', '..', '..');
const PACKAGES = join(ROOT, 'dist', 'packages');
/** Time limit of each run of npm and of each program of the package. */
const RUN_TIME_LIMIT_MS = 120_000;

export interface ProgramResult {
  /** The exit code; null when a signal, such as that of the time limit, ended the program. */
  status: number | null;
  stdout: string;
  stderr: string;
}

const manifestShape = s.object({ dependencies: s.dictionary(s.text()) });

/** An npm package of this repository, packed and installed in a folder of its own, outside of this repository. */
export class InstalledPackage {
  private constructor(readonly folder: string) {}

  /** `name` is its folder in dist/packages. */
  static install(name: string): InstalledPackage {
    const source = join(PACKAGES, name);
    const folder = mkdtempSync(join(tmpdir(), `batuta-${name}-package-`));
    writeFileSync(join(folder, 'package.json'), '{"name":"customer","private":true}');
    const tarball = runNpm(folder, 'pack', source, '--pack-destination', folder, '--silent').trim();
    // Stands in for the package registry: the dependencies come from the packages that are installed here.
    for (const dependency of dependenciesOf(source)) {
      cpSync(join(ROOT, 'node_modules', dependency), join(folder, 'node_modules', dependency), { recursive: true });
    }
    // The optional packages, which read pictures, are left out: they are larger than all others together.
    const flags = ['--offline', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund'];
    runNpm(folder, 'install', ...flags, `./${tarball}`);
    return new InstalledPackage(folder);
  }

  /** The path of a program that the package installs. */
  programPath(name: string): string {
    return join(this.folder, 'node_modules', '.bin', name);
  }

  /** Runs a file of JavaScript to its end, with a path relative to the folder. */
  run(file: string, args: string[] = [], env: NodeJS.ProcessEnv = {}): Promise<ProgramResult> {
    return new Promise((resolve) => {
      const options = { cwd: this.folder, env: { PATH: process.env['PATH'], ...env }, timeout: RUN_TIME_LIMIT_MS };
      const child = execFile(process.execPath, [file, ...args], options, (_error, stdout, stderr) => {
        resolve({ status: child.exitCode, stdout, stderr });
      });
      child.stdin?.end();
    });
  }

  /** Deletes the folder. */
  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

function runNpm(folder: string, ...args: string[]): string {
  const script = process.env['npm_execpath'];
  const [command, first] = script?.endsWith('.js') ? [process.execPath, [script]] : ['npm', []];
  const { status, stdout, stderr } = spawnSync(command, [...first, ...args], {
    cwd: folder,
    encoding: 'utf8',
    timeout: RUN_TIME_LIMIT_MS,
  });
  if (status !== 0) throw new Error(`npm ${args[0]} failed: ${stdout}${stderr}`);
  return stdout;
}

/** The names of all packages that a package needs, also indirectly, without those that are installed inside the folder of another package. */
function dependenciesOf(folder: string, found = new Set<string>()): Set<string> {
  const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (!manifestShape.matches(manifest)) return found;
  for (const name of Object.keys(manifest.dependencies)) {
    const installed = join(ROOT, 'node_modules', name);
    if (!found.has(name) && existsSync(installed)) dependenciesOf(installed, found.add(name));
  }
  return found;
}
