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

/** Packages are looked up from the workspace of the dashboard, because the service may have other versions of them. */
const WEB = new URL('../../web/package.json', import.meta.url);

/** Notices to print with a licence. The authors of lightweight-charts ask for this one, but their package does not contain it. */
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
