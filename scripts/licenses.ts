// The licences of the packages that are part of the dashboard.
import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { readIfPresent } from './read-if-present.js';

const packages = [
  'preact',
  '@preact/signals',
  '@preact/signals-core',
  'lightweight-charts',
  'fancy-canvas',
  '@noble/secp256k1',
  '@noble/hashes',
  '@fontsource-variable/manrope',
] as const;

/** The workspace of the dashboard. The service may have other versions of the same packages. */
const WEB = new URL('../../web/package.json', import.meta.url);

/** The notice that the authors of lightweight-charts ask for. It is not part of their package. */
const NOTICES: Readonly<Record<string, string>> = {
  'lightweight-charts': 'TradingView Lightweight Charts™\nCopyright (c) 2026 TradingView, Inc. https://www.tradingview.com/\n',
};

export function licenses(): string {
  return packages.map(licenseOf).join(`\n${'-'.repeat(80)}\n\n`);
}

function licenseOf(name: string): string {
  const manifest = findPackageJSON(name, WEB);
  if (manifest === undefined) throw new Error(`the package ${name} is not installed`);
  const { version, license } = JSON.parse(readFileSync(manifest, 'utf8')) as Record<string, string>;
  const text = readIfPresent(join(dirname(manifest), 'LICENSE')) ?? '';
  return [`${name} ${version} (${license})\n`, NOTICES[name] ?? '', text].filter(Boolean).join('\n');
}
