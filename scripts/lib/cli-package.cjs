'use strict';
const { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const { ROOT } = require('./find-servers.cjs');

const BUNDLE = path.join(ROOT, 'dist', 'apps', 'cli', 'main.js');
const PACKAGE_FOLDER = path.join(ROOT, 'dist', 'packages', 'cli');
/** The oldest release of Node with every function that the program uses. */
const MIN_NODE_VERSION = '20.19.0';

/** Makes the npm package of the command line from its bundle, which needs no other package. Returns the folder of the package. */
function makeCliPackage() {
  rmSync(PACKAGE_FOLDER, { recursive: true, force: true });
  mkdirSync(path.join(PACKAGE_FOLDER, 'bin'), { recursive: true });
  const program = path.join(PACKAGE_FOLDER, 'bin', 'batuta.js');
  const code = readFileSync(BUNDLE, 'utf8').replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
  writeFileSync(program, `#!/usr/bin/env node\n${code}`);
  chmodSync(program, 0o755);
  copyFileSync(path.join(ROOT, 'apps', 'cli', 'README.md'), path.join(PACKAGE_FOLDER, 'README.md'));
  const { version, license } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const manifest = {
    name: 'batuta',
    version,
    description: 'Batuta on the command line.',
    license,
    bin: { batuta: 'bin/batuta.js' },
    files: ['bin'],
    engines: { node: `>=${MIN_NODE_VERSION}` },
  };
  writeFileSync(path.join(PACKAGE_FOLDER, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  return PACKAGE_FOLDER;
}

module.exports = { makeCliPackage };
