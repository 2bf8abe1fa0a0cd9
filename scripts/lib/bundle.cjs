'use strict';
const { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { builtinModules } = require('node:module');
const path = require('node:path');
const { rspack } = require('@rspack/core');
const { ROOT } = require('./find-servers.cjs');
const { removeCompiledFunctions, writeCompiledFunctions } = require('./keep-compiled.cjs');

const DIST = path.join(ROOT, 'dist');
const PACKAGE_CODE_LOADER = path.join(__dirname, 'package-code.cjs');
const STACK_TRACES_MODULE = path.join(__dirname, 'stack-traces.cjs');
const NOT_ASCII = /[\u0080-\uffff]/g;
/**
 * Packages that stay outside of the bundles: native ones, ones that read files in their own folder, an optional package that only an old
 * class-transformer has, and packages that a program loads only when it needs them: the drivers of an agent's steps, and OpenTelemetry.
 */
const PACKAGES_NOT_BUNDLED = [
  '@node-rs/argon2',
  'quickjs-emscripten',
  'swagger-ui-dist',
  'class-transformer/storage',
  'pg',
  'mssql',
  'playwright-core',
  'tesseract.js',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace',
];
/**
 * Packages that are empty in the bundles, because a program keeps its own text in memory. Other packages load them for parts that no program
 * uses: the lint rule `no-restricted-imports` forbids them and these parts. The documents of the API are not served as YAML.
 */
const PACKAGES_LEFT_OUT = ['libphonenumber-js', 'multer', 'file-type', 'js-yaml'];
/** Programs whose bundles contain TypeORM. The others load it only while they migrate, and it would make up a third of their bundles. */
const APPS_WITH_TYPEORM = ['console', 'all-in-one'];
/** Apps that start from compiled functions. The agent and the command line also run as npm packages, with any Node. */
const COMPILED_APPS = ['gateway', 'console', 'router', 'execution', 'schedule', 'webhook', 'all-in-one'];
/** Programs that are not apps, and the files that the agent starts in processes and worker threads. */
const OTHER_PROGRAMS = {
  'libs/database/migrate': entryOf('libs/database/src/migrate.js'),
  'libs/database/await-schema': entryOf('libs/database/src/await-schema.js'),
  'libs/secrets/reseal': entryOf('libs/secrets/src/reseal.js'),
  'apps/agent/run': entryOf('apps/agent/src/run.js'),
  'apps/agent/worker': './apps/agent/src/sandbox/worker.js',
  'apps/agent/ocr-worker': './apps/agent/src/ocr/ocr-worker.js',
};

/**
 * Bundles each program that `nest build` has written to dist into one file, which starts in half of the processor time. An app starts from
 * dist/apps/<name>/main.js. The entry file of the program is deleted, so that there is only one way to start an app.
 */
async function bundle() {
  const apps = readdirSync(path.join(DIST, 'apps')).filter((app) => app !== 'console-web');
  const [withTypeorm, without] = [true, false].map((wanted) =>
    apps.filter((app) => APPS_WITH_TYPEORM.includes(app) === wanted),
  );
  const configurations = [
    clientConfiguration(),
    bundlerConfiguration(entriesOf(withTypeorm), PACKAGES_NOT_BUNDLED),
    bundlerConfiguration({ ...entriesOf(without), ...OTHER_PROGRAMS }, [...PACKAGES_NOT_BUNDLED, 'typeorm']),
  ];
  const folder = path.join(DIST, 'apps');
  removeCompiledFunctions(folder, COMPILED_APPS);
  await runBundler(configurations);
  const names = configurations.flatMap(({ entry }) => Object.keys(entry));
  for (const name of names) writeInAscii(path.join(DIST, fileOf(name)));
  writeCompiledFunctions(folder, COMPILED_APPS);
  for (const app of apps) {
    for (const end of ['js', 'js.map']) rmSync(path.join(DIST, 'apps', app, 'src', `main.${end}`), { force: true });
  }
}

/**
 * Writes characters outside of ASCII as escapes. With a single character beyond Latin-1, V8 would keep the text of the whole program in memory
 * with two bytes for each character, which costs the console 9 MB.
 */
function writeInAscii(file) {
  const code = readFileSync(file, 'utf8');
  const escaped = code.replace(NOT_ASCII, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  if (escaped !== code) writeFileSync(file, escaped);
}

function entriesOf(apps) {
  return Object.fromEntries(apps.map((app) => [`apps/${app}/main`, entryOf(`apps/${app}/src/main.js`)]));
}

/** The file in dist of a bundle. In the folder of an app with compiled functions, main.js is the launcher. */
function fileOf(name) {
  const [, app] = /^apps\/([^/]+)\/main$/.exec(name) ?? [];
  return COMPILED_APPS.includes(app) ? `${name}.bundle.js` : `${name}.js`;
}

function entryOf(file) {
  return [STACK_TRACES_MODULE, `./${file}`];
}

/** The bundler's configuration for the client of integrators, a library whose dependencies npm installs. */
function clientConfiguration() {
  const library = { import: './libs/client/src/index.js', library: { type: 'commonjs2' } };
  const configuration = bundlerConfiguration({ 'packages/client/index': library }, ['openapi-fetch']);
  return { ...configuration, target: 'node20' };
}

function bundlerConfiguration(entry, notBundled) {
  return {
    context: DIST,
    // Nothing is renamed, merged or left out: Nest, TypeORM and the logs read the names of classes.
    mode: 'none',
    target: 'node24',
    entry,
    output: {
      path: DIST,
      filename: ({ chunk }) => fileOf(chunk.name),
      compareBeforeEmit: false,
      devtoolModuleFilenameTemplate: ({ absoluteResourcePath: file }) =>
        path.join('..', '..', '..', path.relative(ROOT, file)),
    },
    // Numbers as ids of modules: their paths would be a tenth of the text.
    optimization: { moduleIds: 'natural', nodeEnv: false },
    node: { __dirname: false, __filename: false },
    module: {
      parser: { javascript: { createRequire: true, dynamicImportMode: 'eager', exprContextCritical: false } },
      rules: [
        { test: /\.js$/, include: DIST, extractSourceMap: true },
        { test: /\.[cm]?js$/, exclude: DIST, use: PACKAGE_CODE_LOADER },
      ],
    },
    resolve: {
      alias: Object.fromEntries(PACKAGES_LEFT_OUT.map((name) => [name, false])),
      byDependency: { commonjs: nodeResolution('require'), esm: { ...nodeResolution('import'), fullySpecified: true } },
    },
    externalsPresets: { node: true },
    externals: [
      ({ request, context }, done) =>
        isLoadedAtRunTime(request, context, notBundled) ? done(null, `commonjs ${request}`) : done(),
    ],
    devtool: 'nosources-cheap-module-source-map',
  };
}

/** `resolve` options of the bundler under which `require` or `import` finds the same file of a package as in Node. */
function nodeResolution(kind) {
  return { aliasFields: [], mainFields: ['main'], conditionNames: ['node', kind] };
}

/** Whether a package stays a `require` in the bundle. That includes missing packages: libraries expect the `require` of an optional one to fail. */
function isLoadedAtRunTime(request, folder, notBundled) {
  if (/^(\.|\/|node:)/.test(request) || builtinModules.includes(request)) return false;
  const [name] = /^(@[^/]+\/)?[^/]+/.exec(request);
  return notBundled.includes(name) || notBundled.includes(request) || !isInstalled(name, folder);
}

function isInstalled(name, folder) {
  if (existsSync(path.join(folder, 'node_modules', name))) return true;
  const parent = path.dirname(folder);
  return parent !== folder && isInstalled(name, parent);
}

function runBundler(configurations) {
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
