import { defineConfig } from 'vite';

/** Address of the service that `vite` forwards requests to during development. */
const service = process.env.CURVET_URL ?? 'http://127.0.0.1:4000';

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
    reportCompressedSize: false,
  },
  server: { proxy: { '/graphql': service, '/api': service, '/dev': service, '/health': service } },
});
