'use strict';
const { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { builtinModules } = require('node:module');
const path = require('node:path');
const { ROOT } = require('./find-servers.cjs');

const BUNDLE = path.join(ROOT, 'dist', 'apps', 'agent');
const PACKAGE = path.join(ROOT, 'dist', 'packages', 'agent');
const PROGRAMS = ['main.js', 'worker.js'];
/** The first release of Node with every function that the agent uses. */
const MIN_NODE = '24.5.0';
const BIN = `#!/usr/bin/env node
'use strict';
require('../main.js');
`;

/**
 * Makes the npm package of the agent from its bundle: `npm pack dist/packages/agent` gives a tarball that needs nothing else of
 * this repository. Returns its folder.
 */
function makeAgentPackage() {
  rmSync(PACKAGE, { recursive: true, force: true });
  mkdirSync(path.join(PACKAGE, 'bin'), { recursive: true });
  for (const program of PROGRAMS) {
    // The maps stay here: they are larger than the programs.
    const code = readFileSync(path.join(BUNDLE, program), 'utf8').replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
    writeFileSync(path.join(PACKAGE, program), code);
  }
  const bin = path.join(PACKAGE, 'bin', 'batuta-agent.js');
  writeFileSync(bin, BIN);
  chmodSync(bin, 0o755);
  copyFileSync(path.join(ROOT, 'apps', 'agent', 'README.md'), path.join(PACKAGE, 'README.md'));
  writeFileSync(path.join(PACKAGE, 'package.json'), `${JSON.stringify(manifest(), undefined, 2)}\n`);
  return PACKAGE;
}

function manifest() {
  const { version, license, dependencies } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  // What the bundle loads and the repository does not depend on is optional for the library that asks for it.
  const names = [...new Set(PROGRAMS.flatMap(loadedPackages))].filter((name) => dependencies[name] !== undefined);
  return {
    name: 'batuta-agent',
    version,
    description: 'Runs the processes of a Batuta environment on this machine.',
    license,
    bin: { 'batuta-agent': 'bin/batuta-agent.js' },
    files: ['bin', ...PROGRAMS],
    engines: { node: `>=${MIN_NODE}` },
    dependencies: Object.fromEntries(names.toSorted().map((name) => [name, dependencies[name]])),
  };
}

/** The packages that the bundle left outside. */
function loadedPackages(program) {
  const code = readFileSync(path.join(PACKAGE, program), 'utf8');
  return [...code.matchAll(/^module\.exports = require\("((?:@[^/"]+\/)?[^/"]+)[^"]*"\)/gm)]
    .map(([, name]) => name)
    .filter((name) => !name.startsWith('node:') && !builtinModules.includes(name));
}

module.exports = { makeAgentPackage };
