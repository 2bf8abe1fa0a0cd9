'use strict';
const { mkdir, writeFile } = require('node:fs/promises');
const { tmpdir } = require('node:os');
const path = require('node:path');
const { withLock } = require('./file-lock.cjs');
const { ROOT, isExecutable, libraryFolders } = require('./find-servers.cjs');
const { INSTALL_TIME_LIMIT_MS, installPackages, reasonOf, unpackPackages } = require('./install-servers.cjs');

const UNPACKED_BROWSER_FOLDER = path.join(ROOT, '.local', 'browser');
const IS_ROOT = process.getuid?.() === 0;
const BROWSER_NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
/** Chromium without windows and their interface. */
const HEADLESS_SHELL = 'chromium-headless-shell';
const DEBIAN_PACKAGES = ['chromium', HEADLESS_SHELL];
const PROGRAM_FOLDERS = ['/usr/bin', '/usr/local/bin', '/snap/bin'];
const INSTALL_INSTRUCTIONS = 'The tests need Chromium: on Debian apt-get install chromium';

/**
 * Returns the path of a Chromium for the tests; a missing one is installed, as root with apt, else by unpacking the package in `.local/`.
 * Throws an Error that says how to install it, if neither is possible.
 */
async function ensureBrowser({ find = findBrowser, say = () => {} } = {}) {
  const found = find();
  if (found) return found;
  const lockFile = IS_ROOT ? path.join(tmpdir(), 'batuta-apt.lock') : `${UNPACKED_BROWSER_FOLDER}.lock`;
  await mkdir(path.dirname(lockFile), { recursive: true });
  await withLock(lockFile, INSTALL_TIME_LIMIT_MS, async () => {
    // The previous holder of the lock has probably installed it.
    if (find()) return;
    say('Getting Chromium (once) …');
    await (IS_ROOT ? installPackages(DEBIAN_PACKAGES) : unpack());
  }).catch((error) => {
    throw new Error(`${INSTALL_INSTRUCTIONS} (apt could not: ${reasonOf(error)})`);
  });
  const installed = find();
  if (!installed) throw new Error(INSTALL_INSTRUCTIONS);
  return installed;
}

function findBrowser() {
  return findProgram(BROWSER_NAMES);
}

/**
 * The path of Chromium's headless shell, which shows the pages of a test in nine tenths of Chromium's processor time; undefined
 * where Chromium was installed without it.
 */
function findHeadlessShell() {
  return findProgram([HEADLESS_SHELL]);
}

function findProgram(names) {
  const folders = [
    ...(process.env.PATH ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder)),
    ...PROGRAM_FOLDERS,
  ];
  const installed = names.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  return [...installed, ...names.map((name) => wrapperScriptPath(name))].find((file) => isExecutable(file));
}

/** The path of the script that starts a program of the unpacked packages with their libraries. */
function wrapperScriptPath(name) {
  return path.join(UNPACKED_BROWSER_FOLDER, `batuta-${name}`);
}

async function unpack() {
  await unpackPackages(DEBIAN_PACKAGES, UNPACKED_BROWSER_FOLDER);
  const libraries = libraryFolders(UNPACKED_BROWSER_FOLDER).join(':');
  const fonts = path.join(UNPACKED_BROWSER_FOLDER, 'fonts.conf');
  await writeFile(fonts, fontSettings());
  for (const name of DEBIAN_PACKAGES) {
    const program = path.join(UNPACKED_BROWSER_FOLDER, 'usr/lib/chromium', name);
    const script = `#!/bin/sh\nFONTCONFIG_FILE='${fonts}' LD_LIBRARY_PATH='${libraries}' exec '${program}' "$@"\n`;
    await writeFile(wrapperScriptPath(name), script, { mode: 0o755 });
  }
}

/**
 * A configuration of fontconfig that also has the unpacked fonts: without any font, texts have no height, and the driver of the browser finds
 * no visible element.
 */
function fontSettings() {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${path.join(UNPACKED_BROWSER_FOLDER, 'usr/share/fonts')}</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;
}

module.exports = { ensureBrowser, findHeadlessShell };
