import { expect } from 'chai';
import { dashboardSizes } from '../../scripts/dashboard-sizes.js';
import { pages } from '../../web/src/pages.js';

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
});
