'use strict';
const { existsSync, readdirSync, rmSync } = require('node:fs');
const { builtinModules } = require('node:module');
const path = require('node:path');
const { rspack } = require('@rspack/core');
const { ROOT } = require('./find-servers.cjs');

const DIST = path.join(ROOT, 'dist');
const WITHOUT_LINES = path.join(__dirname, 'without-lines.cjs');
const STACK_TRACES = path.join(__dirname, 'stack-traces.cjs');
/**
 * Packages that are native or read files beside their own, one name that only an old class-transformer has, and drivers that an
 * agent loads only for the steps that need them.
 */
const NOT_BUNDLED = [
  '@node-rs/argon2',
  'quickjs-emscripten',
  'swagger-ui-dist',
  'class-transformer/storage',
  'pg',
  'mssql',
];
/** The other programs load TypeORM only while they migrate, and it would make up a third of their bundles. */
const APPS_WITH_TYPEORM = ['console', 'all-in-one'];
/** The programs beside the apps, and the file that the agent starts in worker threads. */
const OTHERS = {
  'libs/database/migrate': program('libs/database/src/migrate.js'),
  'libs/database/await-schema': program('libs/database/src/await-schema.js'),
  'apps/agent/worker': './apps/agent/src/sandbox/worker.js',
};

/**
 * Makes one file of each program that `nest build` left in dist, which starts in half of the processor time; that of an app is
 * dist/apps/<name>/main.js. The entry that it is made from goes, so that there is one way to start an app.
 */
async function bundle() {
  const apps = readdirSync(path.join(DIST, 'apps'));
  const [withTypeorm, without] = [true, false].map((wanted) =>
    apps.filter((app) => APPS_WITH_TYPEORM.includes(app) === wanted),
  );
  await run([
    configuration(entriesOf(withTypeorm), NOT_BUNDLED),
    configuration({ ...entriesOf(without), ...OTHERS }, [...NOT_BUNDLED, 'typeorm']),
  ]);
  for (const app of apps) {
    for (const end of ['js', 'js.map']) rmSync(path.join(DIST, 'apps', app, 'src', `main.${end}`), { force: true });
  }
}

function entriesOf(apps) {
  return Object.fromEntries(apps.map((app) => [`apps/${app}/main`, program(`apps/${app}/src/main.js`)]));
}

function program(file) {
  return [STACK_TRACES, `./${file}`];
}

function configuration(entry, notBundled) {
  return {
    context: DIST,
    // Nothing is renamed, merged or left out: Nest, TypeORM and the logs read the names of classes.
    mode: 'none',
    target: 'node24',
    entry,
    output: {
      path: DIST,
      filename: '[name].js',
      compareBeforeEmit: false,
      devtoolModuleFilenameTemplate: ({ absoluteResourcePath: file }) =>
        path.join('..', '..', '..', path.relative(ROOT, file)),
    },
    optimization: { moduleIds: 'named', nodeEnv: false },
    node: { __dirname: false, __filename: false },
    module: {
      parser: { javascript: { createRequire: true, dynamicImportMode: 'eager', exprContextCritical: false } },
      rules: [
        { test: /\.js$/, include: DIST, extractSourceMap: true },
        { test: /\.[cm]?js$/, exclude: DIST, use: WITHOUT_LINES },
      ],
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
