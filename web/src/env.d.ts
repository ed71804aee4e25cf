// What Vite provides at build time.
interface ImportMeta {
  glob<Module>(pattern: string): Record<string, () => Promise<Module>>;
}

declare module '*.css';
