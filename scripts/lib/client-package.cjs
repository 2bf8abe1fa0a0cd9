'use strict';
const { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const { ROOT } = require('./find-servers.cjs');

const SOURCE_FOLDER = path.join(ROOT, 'libs', 'client', 'src');
const PACKAGE_FOLDER = path.join(ROOT, 'dist', 'packages', 'client');
/** The oldest release of Node with `AbortSignal.any`, which the client uses. */
const MIN_NODE_VERSION = '20.3.0';
/** Sources that the package for integrators does not have: tests, and the types of the management API. */
const EXCLUDED_SOURCES = [/\.test\.ts$/, /generated\/console-types\.ts$/];

/**
 * Makes the npm package of the client from `index.js`, which the bundler has written in CommonJS. An ES module exports the same classes, so
 * that `instanceof` works when a program loads both. Returns the folder of the package.
 */
function makeClientPackage() {
  const bundled = path.join(PACKAGE_FOLDER, 'index.js');
  writeFileSync(bundled, readFileSync(bundled, 'utf8').replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n'));
  rmSync(`${bundled}.map`, { force: true });
  writeTypes();
  const names = Object.keys(require(bundled)).toSorted();
  writePackageFile('index.mjs', `import client from './index.js';\n\nexport const { ${names.join(', ')} } = client;\n`);
  writePackageFile('index.d.ts', `export * from './types/index';\n`);
  writePackageFile('index.d.mts', `export * from './types/index.js';\n`);
  writePackageFile('package.json', `${JSON.stringify(makeManifest(), undefined, 2)}\n`);
  copyFileSync(path.join(ROOT, 'libs', 'client', 'README.md'), path.join(PACKAGE_FOLDER, 'README.md'));
  return PACKAGE_FOLDER;
}

function writePackageFile(name, text) {
  const file = path.join(PACKAGE_FOLDER, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Writes the type declarations of each source file by itself, which needs no type check: the lint checks the types. */
function writeTypes() {
  const ts = require('typescript');
  rmSync(path.join(PACKAGE_FOLDER, 'types'), { recursive: true, force: true });
  for (const name of globSync('**/*.ts', { cwd: SOURCE_FOLDER })) {
    if (EXCLUDED_SOURCES.some((pattern) => pattern.test(name))) continue;
    const source = readFileSync(path.join(SOURCE_FOLDER, name), 'utf8');
    const { outputText, diagnostics } = ts.transpileDeclaration(source, {
      fileName: name,
      reportDiagnostics: true,
      compilerOptions: { isolatedDeclarations: true, declaration: true, stripInternal: true },
    });
    const [problem] = diagnostics ?? [];
    if (problem)
      throw new Error(`libs/client/src/${name}: ${ts.flattenDiagnosticMessageText(problem.messageText, ' ')}`);
    writePackageFile(path.join('types', name.replace(/\.ts$/, '.d.ts')), outputText);
  }
}

function makeManifest() {
  const { version, license, dependencies } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  return {
    name: '@batuta/client',
    version,
    description: 'A typed client of the public API of Batuta: starts, follows and controls processes.',
    license,
    main: './index.js',
    types: './index.d.ts',
    exports: {
      '.': {
        import: { types: './index.d.mts', default: './index.mjs' },
        require: { types: './index.d.ts', default: './index.js' },
      },
      './package.json': './package.json',
    },
    files: ['index.js', 'index.mjs', 'index.d.ts', 'index.d.mts', 'types'],
    sideEffects: false,
    engines: { node: `>=${MIN_NODE_VERSION}` },
    dependencies: { 'openapi-fetch': dependencies['openapi-fetch'] },
  };
}

module.exports = { makeClientPackage };
