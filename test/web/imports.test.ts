import { expect } from 'chai';
import { webSources } from '../support/sources.js';

describe('the imports of the dashboard', () => {
  const allowed = ['src/money.ts', 'src/features/pricing/rules.ts'];

  it('imports nothing of the service but the curve and amounts of ether', () => {
    const wrong = webSources.flatMap(({ path, imports }) =>
      imports
        .filter((target) => /^(src|client)\//.test(target) && !allowed.includes(target))
        .map((target) => `${path} -> ${target}`),
    );
    expect(wrong).to.deep.equal([]);
  });

  it('never interprets a text as HTML', () => {
    const html = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc|DOMParser/i;
    expect(webSources.filter(({ text }) => html.test(text)).map(({ path }) => path)).to.deep.equal([]);
  });

  it('loads the library of the chart in one file only', () => {
    const importers = webSources.filter(({ imports }) => imports.includes('lightweight-charts'));
    expect(importers.map(({ path }) => path)).to.deep.equal(['web/src/ui/chart/candle-chart.ts']);
    const direct = webSources.filter(({ text }) => /^import (?!type).*candle-chart\.js'/m.test(text));
    expect(direct.map(({ path }) => path)).to.deep.equal([]);
  });
});
