import { expect } from 'chai';
import { pages } from '../../web/src/pages.js';
import { texts } from '../../web/src/texts.js';
import { describeInBrowser, foreign, settled, type VisitOptions } from '../support/browser/chromium.js';
import { useDemoSite, useVisits } from '../support/browser/demo-site.js';
import { accessibilityViolations, layoutShift, overflows } from '../support/browser/measures.js';

describeInBrowser('every page of the dashboard', (browser) => {
  const site = useDemoSite();
  const openUrl = useVisits(browser);

  for (const { path } of pages) {
    const open = (options: VisitOptions) => openUrl(site.addressOf(path), options);
    describe(path, () => {
      it('has a heading, a title, no message in the console and no request to another origin', async () => {
        const opened = await open({});
        await settled(opened);
        expect(await opened.page.locator('h1').count()).to.equal(1);
        expect(await opened.page.title()).to.match(new RegExp(`^.+ · ${texts.name}$`));
        expect(opened.complaints).to.deep.equal([]);
        expect(foreign(opened, site.service.url)).to.deep.equal([]);
      });

      it('needs at most one query for its first view', async () => {
        const opened = await open({});
        await settled(opened);
        const queries = opened.operations.filter((name) => !name.startsWith('Live') && name !== 'AgentFigures');
        expect(queries.length, queries.join()).to.be.at.most(1);
      });

      for (const theme of ['light', 'dark'] as const) {
        it(`has no accessibility violation that axe finds, in the ${theme} theme`, async () => {
          const opened = await open({ theme });
          await settled(opened);
          expect(await accessibilityViolations(opened.page)).to.deep.equal([]);
        });
      }

      for (const width of [360, 768, 1920]) {
        it(`fits ${width} pixels, and moves less than 0.05 while it loads`, async () => {
          const opened = await open({ width });
          await settled(opened);
          expect(await overflows(opened.page)).to.equal(false);
          expect(await layoutShift(opened.page)).to.be.below(0.05);
        });
      }
    });
  }
});
