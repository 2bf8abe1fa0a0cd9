import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Where `npm run dev:web` finds the management API: BATUTA_CONSOLE_URL, else the console of `npm start`, which chooses its port itself. */
function consoleUrl(): string {
  const given = process.env['BATUTA_CONSOLE_URL'];
  if (given) return given;
  const demoFile = join(process.env['BATUTA_LOCAL'] || join(ROOT, '.local'), 'demo.json');
  if (!existsSync(demoFile)) throw new Error('Run `npm start` beside it, or name a console by BATUTA_CONSOLE_URL');
  return String(Object(JSON.parse(readFileSync(demoFile, 'utf8'))).console);
}

export default defineConfig(({ command }) => ({
  root: import.meta.dirname,
  cacheDir: `${ROOT}/node_modules/.cache/vite`,
  resolve: {
    alias: [
      // These libraries have a part that needs nothing of Node.
      { find: /^@batuta\/(async|json)$/, replacement: `${ROOT}/libs/$1/src/browser.ts` },
      { find: /^@batuta\/(.*)$/, replacement: `${ROOT}/libs/$1/src/index.ts` },
    ],
  },
  build: {
    outDir: `${ROOT}/dist/apps/console-web`,
    emptyOutDir: true,
    // No file is inlined as a `data:` URL, because the Content-Security-Policy allows no scripts in this form.
    assetsInlineLimit: 0,
    // The files are compressed by the build script, which also knows their sizes.
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_500,
    manifest: true,
    // Packages mark modules with 'use client' for servers that render React; there is no such server here.
    rolldownOptions: { checks: { moduleLevelDirective: false } },
  },
  server: command === 'serve' ? { proxy: { '/manage': consoleUrl() } } : {},
}));
