'use strict';
const { readFileSync, readdirSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const { brotliCompressSync, constants, gzipSync } = require('node:zlib');
const { ROOT } = require('./find-servers.cjs');

const CONFIG_FILE = path.join(ROOT, 'apps', 'console-web', 'vite.config.mts');
const WEB_FOLDER = path.join(ROOT, 'dist', 'apps', 'console-web');
/** The modules of the pages that users open first: the home page of an account with runs, and the list of processes. */
const FIRST_PAGES = ['/features/home/dashboard.tsx', '/features/processes/processes-page.tsx'];
/** Number of lazily loaded files that must need a module for it to be put into the file of shared modules. */
const MANY_SCREENS = 6;
/** Matches the files to compress; fonts and pictures are compressed already. */
const COMPRESSIBLE = /\.(js|css|svg)$/;
/** The best quality, which takes hardly longer than the usual one. */
const GZIP_OPTIONS = { level: 9 };
/** Quality 9; the best quality takes ten times as long to save two percent more. */
const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** Builds the pages of the console into dist/apps/console-web, each file of script and style beside its compressed forms. */
async function buildWeb() {
  // Tests build too, and their environment would choose the packages' variants for development.
  process.env.NODE_ENV = 'production';
  const { build } = await import('vite');
  const options = { configFile: CONFIG_FILE, configLoader: 'native', logLevel: 'warn' };
  const groups = groupsOf(await build({ ...options, build: { write: false, minify: false } }));
  await build({ ...options, build: { rolldownOptions: { output: { codeSplitting: { groups } } } } });
  const files = readdirSync(WEB_FOLDER, { recursive: true }).filter((name) => COMPRESSIBLE.test(name));
  for (const name of files) {
    const file = path.join(WEB_FOLDER, name);
    const content = readFileSync(file);
    writeFileSync(`${file}.br`, brotliCompressSync(content, BROTLI_OPTIONS));
    writeFileSync(`${file}.gz`, gzipSync(content, GZIP_OPTIONS));
  }
}

/**
 * The groups of modules that become one file each: those that index.html loads at once; those of the first pages, most of which every list
 * needs as well; and those that many other screens share. By default the bundler makes about fifty files of the first group alone, and thirty for a
 * screen; a browser takes longer to fetch that many small files than one large file.
 */
function groupsOf({ output }) {
  const chunks = new Map(output.filter(({ type }) => type === 'chunk').map((chunk) => [chunk.fileName, chunk]));
  const modulesOfChunks = [...chunks.values()]
    .filter(({ isEntry, isDynamicEntry }) => isEntry || isDynamicEntry)
    .map((chunk) => ({ chunk, modules: modulesWith(chunk, chunks) }));
  const first = new Set(modulesOfChunks.filter(({ chunk }) => chunk.isEntry).flatMap(({ modules }) => modules));
  const isFirstPage = ({ chunk }) => FIRST_PAGES.some((page) => chunk.facadeModuleId?.endsWith(page));
  const lists = new Set(modulesOfChunks.filter(isFirstPage).flatMap(({ modules }) => modules));
  const uses = new Map();
  for (const id of modulesOfChunks.flatMap(({ modules }) => modules)) uses.set(id, (uses.get(id) ?? 0) + 1);
  return [
    { name: 'first', test: (id) => first.has(id) },
    { name: 'lists', test: (id) => lists.has(id) },
    { name: 'shared', test: (id) => uses.get(id) >= MANY_SCREENS },
  ];
}

/** The modules of a file and of all files that it imports statically. */
function modulesWith(chunk, chunks) {
  const found = new Set([chunk]);
  for (const { imports } of found) for (const name of imports) if (chunks.has(name)) found.add(chunks.get(name));
  return [...found].flatMap(({ moduleIds }) => moduleIds);
}

module.exports = { buildWeb };
