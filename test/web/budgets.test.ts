import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { dashboardSizes } from '../../scripts/dashboard-sizes.js';
import { pages } from '../../web/src/pages.js';
import { root } from '../support/service/process.js';

const KILOBYTE = 1024;

describe('the size of the dashboard', () => {
  const sizes = dashboardSizes();

  for (const { folder } of pages) {
    it(`is at most 40 KB of compressed script for the first view, 90 KB with the chart: ${folder}`, () => {
      const page = sizes[folder];
      expect(page?.first).to.be.above(5 * KILOBYTE);
      expect(page?.first).to.be.at.most(40 * KILOBYTE);
      expect(page?.all)
        .to.be.at.least(page?.first ?? 0)
        .and.at.most(90 * KILOBYTE);
    });
  }

  it('counts the chart where it is shown, and not on the first page', () => {
    expect((sizes.agent?.all ?? 0) - (sizes.agent?.first ?? 0)).to.be.above(40 * KILOBYTE);
    expect(sizes.market?.all).to.equal(sizes.market?.first);
  });

  it('leaves the reference of the API to a file that loads later', () => {
    const manifest = JSON.parse(readFileSync(join(root, 'dist/dashboard/manifest.json'), 'utf8')) as Record<
      string,
      { imports?: string[]; dynamicImports?: string[] }
    >;
    const page = manifest['src/pages/developers/page.tsx'];
    expect(page?.dynamicImports).to.include('src/pages/developers/reference/reference.tsx');
    expect(page?.imports ?? []).to.not.include('src/pages/developers/reference/reference.tsx');
  });
});
