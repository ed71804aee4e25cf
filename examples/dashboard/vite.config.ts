import { defineConfig } from 'vite';

const target = process.env.VITE_CURVET_URL ?? 'http://127.0.0.1:4000';
// The page calls its own origin, so it needs no CORS. The service accepts its own origin only.
const proxy = { '/graphql': { target, changeOrigin: true, headers: { origin: new URL(target).origin } } };

export default defineConfig({ server: { proxy }, preview: { proxy } });
