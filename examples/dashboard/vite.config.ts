import { defineConfig } from 'vite';

const target = process.env.VITE_CURVET_URL ?? 'http://127.0.0.1:4000';
// The page calls the origin that serves it, so it needs no CORS. This server forwards the calls with the origin of the service.
const proxy = { '/graphql': { target, changeOrigin: true, headers: { origin: new URL(target).origin } } };

export default defineConfig({ server: { proxy }, preview: { proxy } });
