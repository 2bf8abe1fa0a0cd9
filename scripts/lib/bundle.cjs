'use strict';
const { existsSync, readdirSync, rmSync } = require('node:fs');
const { builtinModules } = require('node:module');
const path = require('node:path');
const { rspack } = require('@rspack/core');
const { ROOT } = require('./find-servers.cjs');

const DIST = path.join(ROOT, 'dist');
/** Packages that are native or read files beside their own, and one name that only an old class-transformer has. */
const NOT_BUNDLED = ['@node-rs/argon2', 'quickjs-emscripten', 'swagger-ui-dist', 'class-transformer/storage'];
/** The other apps never load TypeORM, and it would make up a third of their bundles. */
const APPS_WITH_TYPEORM = ['console', 'all-in-one'];
/** Files that an app starts in a worker thread: path beside its bundle → source. */
const WORKERS = { 'agent/worker': './apps/agent/src/sandbox/worker.js' };

/**
 * Makes one file of each app that `nest build` left in dist/apps/<name>/src, which starts in a third of the processor time:
 * dist/apps/<name>/main.js. The entry that it is made from goes, so that there is one way to start an app.
 */
async function bundle() {
  const apps = readdirSync(path.join(DIST, 'apps'));
  const usesTypeorm = (app) => APPS_WITH_TYPEORM.includes(app);
  await run([
    configuration(entriesOf(apps.filter(usesTypeorm)), NOT_BUNDLED),
    configuration({ ...entriesOf(apps.filter((app) => !usesTypeorm(app))), ...WORKERS }, [...NOT_BUNDLED, 'typeorm']),
  ]);
  for (const app of apps) {
    for (const end of ['js', 'js.map']) rmSync(path.join(DIST, 'apps', app, 'src', `main.${end}`), { force: true });
  }
}

function entriesOf(apps) {
  return Object.fromEntries(apps.map((app) => [`${app}/main`, `./apps/${app}/src/main.js`]));
}

function configuration(entry, notBundled) {
  return {
    context: DIST,
    // Nothing is renamed, merged or left out: Nest, TypeORM and the logs read the names of classes.
    mode: 'none',
    target: 'node24',
    entry,
    output: {
      path: path.join(DIST, 'apps'),
      filename: '[name].js',
      compareBeforeEmit: false,
      devtoolModuleFilenameTemplate: ({ absoluteResourcePath: file }) =>
        path.join('..', '..', '..', path.relative(ROOT, file)),
    },
    optimization: { moduleIds: 'named', nodeEnv: false },
    node: { __dirname: false, __filename: false },
    module: {
      parser: { javascript: { createRequire: true, dynamicImportMode: 'eager', exprContextCritical: false } },
      rules: [{ test: /\.js$/, include: DIST, extractSourceMap: true }],
    },
    resolve: { byDependency: { commonjs: asNode('require'), esm: { ...asNode('import'), fullySpecified: true } } },
    externalsPresets: { node: true },
    externals: [
      ({ request, context }, done) =>
        staysPackage(request, context, notBundled) ? done(null, `commonjs ${request}`) : done(),
    ],
    devtool: 'nosources-cheap-module-source-map',
  };
}

/** Finds the same file of a package as Node does. */
function asNode(kind) {
  return { aliasFields: [], mainFields: ['main'], conditionNames: ['node', kind] };
}

/** Packages that are missing stay a `require` as well: libraries expect it to fail when they look for optional ones. */
function staysPackage(request, folder, notBundled) {
  if (/^(\.|\/|node:)/.test(request) || builtinModules.includes(request)) return false;
  const [name] = /^(@[^/]+\/)?[^/]+/.exec(request);
  return notBundled.includes(name) || notBundled.includes(request) || !isInstalled(name, folder);
}

function isInstalled(name, folder) {
  if (existsSync(path.join(folder, 'node_modules', name))) return true;
  const parent = path.dirname(folder);
  return parent !== folder && isInstalled(name, parent);
}

function run(configurations) {
  const compiler = rspack(configurations);
  return new Promise((resolve, reject) => {
    compiler.run((error, stats) => {
      compiler.close(() => {
        if (error) reject(error);
        else if (stats.hasErrors() || stats.hasWarnings()) reject(new Error(stats.toString('errors-warnings')));
        else resolve();
      });
    });
  });
}

module.exports = { bundle };
