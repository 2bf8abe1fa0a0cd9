'use strict';
const { mkdir, writeFile } = require('node:fs/promises');
const { tmpdir } = require('node:os');
const path = require('node:path');
const { withLock } = require('./file-lock.cjs');
const { ROOT, isExecutable, libraryFolders } = require('./find-servers.cjs');
const { INSTALL_TIME_LIMIT_MS, installPackages, reasonOf, unpackPackages } = require('./install-servers.cjs');

const UNPACKED_BROWSER_FOLDER = path.join(ROOT, '.local', 'browser');
/** The path of a script that starts the browser of the unpacked packages with their libraries. */
const WRAPPER_SCRIPT = path.join(UNPACKED_BROWSER_FOLDER, 'batuta-chromium');
const IS_ROOT = process.getuid?.() === 0;
const PROGRAM_NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
const PROGRAM_FOLDERS = ['/usr/bin', '/usr/local/bin', '/snap/bin'];
const INSTALL_INSTRUCTIONS = 'The tests need Chromium: on Debian apt-get install chromium';

/** The path of a Chromium for the tests; a missing one is installed, as root with apt, else by unpacking the package in `.local/`. */
async function ensureBrowser({ find = findBrowser, say = () => {} } = {}) {
  const found = find();
  if (found) return found;
  const lockFile = IS_ROOT ? path.join(tmpdir(), 'batuta-apt.lock') : `${UNPACKED_BROWSER_FOLDER}.lock`;
  await mkdir(path.dirname(lockFile), { recursive: true });
  await withLock(lockFile, INSTALL_TIME_LIMIT_MS, async () => {
    // The previous holder of the lock has probably installed it.
    if (find()) return;
    say('Getting Chromium (once) …');
    await (IS_ROOT ? installPackages(['chromium']) : unpack());
  }).catch((error) => {
    throw new Error(`${INSTALL_INSTRUCTIONS} (apt could not: ${reasonOf(error)})`);
  });
  const installed = find();
  if (!installed) throw new Error(INSTALL_INSTRUCTIONS);
  return installed;
}

function findBrowser() {
  const folders = [
    ...(process.env.PATH ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder)),
    ...PROGRAM_FOLDERS,
  ];
  const installed = PROGRAM_NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  return [...installed, WRAPPER_SCRIPT].find((file) => isExecutable(file));
}

async function unpack() {
  await unpackPackages(['chromium'], UNPACKED_BROWSER_FOLDER);
  const libraries = libraryFolders(UNPACKED_BROWSER_FOLDER).join(':');
  const program = path.join(UNPACKED_BROWSER_FOLDER, 'usr/lib/chromium/chromium');
  const fonts = path.join(UNPACKED_BROWSER_FOLDER, 'fonts.conf');
  await writeFile(fonts, fontSettings());
  const script = `#!/bin/sh\nFONTCONFIG_FILE='${fonts}' LD_LIBRARY_PATH='${libraries}' exec '${program}' "$@"\n`;
  await writeFile(WRAPPER_SCRIPT, script, { mode: 0o755 });
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

module.exports = { ensureBrowser };
