import { join } from 'node:path';
import { defineConfig } from 'vite';

/** Address of the service that `vite` forwards requests to during development. */
const service = process.env.CURVET_URL ?? 'http://127.0.0.1:4000';

/** The script that every document loads before its other files. scripts/dashboard.ts names it in the documents. */
const FIRST_THEME = 'src/shell/first-theme.ts';

export default defineConfig({
  root: import.meta.dirname,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    manifest: 'manifest.json',
    target: 'es2023',
    // The policy of the page forbids data: URLs except for pictures, and inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      input: [join(import.meta.dirname, 'index.html'), join(import.meta.dirname, FIRST_THEME)],
      // Modules that many pages need are one file: many small files compress worse, and each costs a request.
      output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 4 }] } },
    },
    reportCompressedSize: false,
  },
  server: {
    proxy: {
      '/graphql': service,
      '/api': service,
      '/dev': service,
      '/health': service,
      '/docs.md': service,
      '/openapi.json': service,
    },
  },
});
