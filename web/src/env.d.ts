// Types of what Vite provides at build time: `import.meta.glob`, which `routes.ts` uses, and imports of style sheets.
interface ImportMeta {
  glob<Module>(pattern: string): Record<string, () => Promise<Module>>;
}

declare module '*.css';
