// node build-run-program.mjs <folder>: builds the program of a process for one execution, with its sandbox worker, from the
// sources. Packages that are loaded at their first use stay in node_modules.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rspack } from '@rspack/core';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../../..');
const EXTERNAL_PACKAGES = /^(mysql2|pg|mssql|playwright-core|tesseract\.js|quickjs-emscripten)($|\/)/;
const require = createRequire(import.meta.url);

const swc = {
  jsc: {
    parser: { syntax: 'typescript', decorators: true },
    target: 'es2023',
    transform: { legacyDecorator: true },
  },
};

const compiler = rspack({
  context: ROOT,
  mode: 'none',
  target: 'node24',
  entry: { run: './apps/agent/src/run.ts', worker: './apps/agent/src/sandbox/worker.js' },
  output: { path: process.argv[2], filename: '[name].js' },
  node: { __dirname: false, __filename: false },
  module: {
    parser: { javascript: { dynamicImportMode: 'eager', exprContextCritical: false } },
    rules: [{ test: /\.ts$/, loader: 'builtin:swc-loader', options: swc }],
  },
  resolve: { extensions: ['.ts', '.js'], tsConfig: join(ROOT, 'tsconfig.json'), conditionNames: ['node', 'require'] },
  externalsPresets: { node: true },
  externals: [
    ({ request }, done) =>
      EXTERNAL_PACKAGES.test(request) ? done(null, `commonjs ${resolveExternal(request)}`) : done(),
  ],
});
compiler.run((error, stats) => {
  compiler.close(() => {
    if (!error && !stats.hasErrors()) return;
    process.stderr.write(String(error ?? stats.toString('errors-only')));
    process.exitCode = 1;
  });
});

/** The package is found by its path, because the program is not in a folder below node_modules. */
function resolveExternal(request) {
  try {
    return require.resolve(request);
  } catch {
    return request;
  }
}
