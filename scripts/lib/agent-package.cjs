'use strict';
const { spawnSync } = require('node:child_process');
const { chmodSync, copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const { builtinModules } = require('node:module');
const path = require('node:path');
const { ROOT } = require('./find-servers.cjs');

const BUNDLE_FOLDER = path.join(ROOT, 'dist', 'apps', 'agent');
const PACKAGE_FOLDER = path.join(ROOT, 'dist', 'packages', 'agent');
/** The console serves this folder without a login, because npm sends no session. */
const DOWNLOADS_FOLDER = path.join(ROOT, 'dist', 'apps', 'console-web', 'downloads');
const TARBALL = 'batuta-agent.tgz';
const PROGRAM_FILES = ['main.js', 'run.js', 'worker.js', 'ocr-worker.js'];
/** The packages for `{name.OCR}`, which are larger than the rest of the agent. The agent also works without them. */
const OPTIONAL_PACKAGES = ['tesseract.js', '@tesseract.js-data/por', '@tesseract.js-data/eng'];
/** The oldest release of Node with every function that the agent uses. */
const MIN_NODE_VERSION = '24.5.0';
const BIN_SCRIPT = `#!/usr/bin/env node
'use strict';
require('../main.js');
`;

/**
 * Makes the npm package of the agent from its bundle: `npm pack dist/packages/agent` gives a tarball that needs nothing else of
 * this repository. Returns the folder of the package. The bundle must have been built.
 */
function makeAgentPackage() {
  rmSync(PACKAGE_FOLDER, { recursive: true, force: true });
  mkdirSync(path.join(PACKAGE_FOLDER, 'bin'), { recursive: true });
  for (const program of PROGRAM_FILES) {
    // The source maps are left out of the package: they are larger than the programs.
    const code = readFileSync(path.join(BUNDLE_FOLDER, program), 'utf8').replace(
      /\n\/\/# sourceMappingURL=.*\s*$/,
      '\n',
    );
    writeFileSync(path.join(PACKAGE_FOLDER, program), code);
  }
  const bin = path.join(PACKAGE_FOLDER, 'bin', 'batuta-agent.js');
  writeFileSync(bin, BIN_SCRIPT);
  chmodSync(bin, 0o755);
  copyFileSync(path.join(ROOT, 'apps', 'agent', 'README.md'), path.join(PACKAGE_FOLDER, 'README.md'));
  writeFileSync(path.join(PACKAGE_FOLDER, 'package.json'), `${JSON.stringify(makeManifest(), undefined, 2)}\n`);
  return PACKAGE_FOLDER;
}

function makeManifest() {
  const { version, license, dependencies, devDependencies } = JSON.parse(
    readFileSync(path.join(ROOT, 'package.json'), 'utf8'),
  );
  // The bundle also names optional packages of its libraries, which the repository does not depend on; the manifest leaves them out.
  const names = [...new Set(PROGRAM_FILES.flatMap(packagesLoadedBy))].filter(
    (name) => dependencies[name] !== undefined,
  );
  return {
    name: 'batuta-agent',
    version,
    description: 'Runs the processes of a Batuta environment on this machine.',
    license,
    bin: { 'batuta-agent': 'bin/batuta-agent.js' },
    files: ['bin', ...PROGRAM_FILES],
    engines: { node: `>=${MIN_NODE_VERSION}` },
    dependencies: Object.fromEntries(names.toSorted().map((name) => [name, dependencies[name]])),
    optionalDependencies: Object.fromEntries(OPTIONAL_PACKAGES.map((name) => [name, devDependencies[name]])),
  };
}

/**
 * Packs the npm package of the agent for the console, from which a customer's machine installs it, because no registry has it. Must run after
 * the build of the pages, which empties the folder.
 */
function packAgent() {
  mkdirSync(DOWNLOADS_FOLDER, { recursive: true });
  const options = ['--pack-destination', DOWNLOADS_FOLDER, '--ignore-scripts'];
  const { status, stderr } = spawnSync('npm', ['pack', PACKAGE_FOLDER, ...options], {
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`npm pack failed: ${stderr}`);
  const { version } = makeManifest();
  renameSync(path.join(DOWNLOADS_FOLDER, `batuta-agent-${version}.tgz`), path.join(DOWNLOADS_FOLDER, TARBALL));
}

/** The names of the packages that are not part of the bundle of the program and that the program loads at run time. */
function packagesLoadedBy(program) {
  const code = readFileSync(path.join(PACKAGE_FOLDER, program), 'utf8');
  return [...code.matchAll(/^module\.exports = require\("((?:@[^/"]+\/)?[^/"]+)[^"]*"\)/gm)]
    .map(([, name]) => name)
    .filter((name) => !name.startsWith('node:') && !builtinModules.includes(name));
}

module.exports = { makeAgentPackage, packAgent };
