import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Where `npm run dev:web` finds the management API. */
const consoleUrl = process.env['BATUTA_CONSOLE_URL'] ?? 'http://127.0.0.1:3000';

export default defineConfig({
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
  server: { proxy: { '/manage': consoleUrl } },
});
