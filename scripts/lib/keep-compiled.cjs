'use strict';
const { spawnSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const vm = require('node:vm');

const LAUNCHER = path.join(__dirname, 'launch-bundle.cjs');
const TIME_LIMIT_MS = 120_000;

/** Removes what an earlier build has kept for the bundles of these apps, before they are written. `folder` = dist/apps. */
function removeCompiledFunctions(folder, apps) {
  for (const app of apps) rmSync(path.join(folder, app, 'main.compiled'), { force: true });
}

/** Keeps the functions that V8 has compiled once all modules of a bundle are loaded, and writes the launcher that uses them. `folder` = dist/apps. */
function writeCompiledFunctions(folder, apps) {
  for (const app of apps) {
    // Without settings a service loads its modules, refuses the missing settings and ends.
    const { status, stderr } = spawnSync(process.execPath, [__filename, path.join(folder, app)], {
      env: { PATH: process.env.PATH },
      encoding: 'utf8',
      timeout: TIME_LIMIT_MS,
    });
    const isKept = existsSync(path.join(folder, app, 'main.compiled'));
    if (status === null || !stderr.includes('Settings are wrong') || !isKept)
      throw new Error(`the functions of ${app} could not be compiled:\n${stderr}`);
    copyFileSync(LAUNCHER, path.join(folder, app, 'main.js'));
  }
}

/** Loads the bundle in a folder, and writes the compiled functions when it ends the process. */
function compile(folder) {
  const file = path.join(folder, 'main.bundle.js');
  const code = readFileSync(file);
  const script = new vm.Script(Module.wrap(code.toString('latin1')), {
    filename: file,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  process.once('exit', () => {
    const functions = script.createCachedData();
    // The same hash as in launch-bundle.cjs, which checks the file.
    const hash = createHash('sha256')
      .update(`${process.version} ${process.arch}`)
      .update(code)
      .update(functions)
      .digest();
    const compiled = path.join(folder, 'main.compiled');
    writeFileSync(`${compiled}.new`, Buffer.concat([hash, functions]));
    renameSync(`${compiled}.new`, compiled);
  });
  const bundle = new Module(file);
  script.runInThisContext().call(bundle.exports, bundle.exports, Module.createRequire(file), bundle, file, folder);
}

if (require.main === module) compile(process.argv[2]);

module.exports = { removeCompiledFunctions, writeCompiledFunctions };
