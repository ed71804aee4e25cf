import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { root } from '../test/support/service/process.js';
import { webSources } from './sources.js';

const folder = join(root, 'web/src/pages');
const sheets = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.css'))
  .map((path) => ({ path: `web/src/pages/${path}`, text: readFileSync(join(folder, path), 'utf8') }));

/** The selectors of the rules in a style sheet, without the conditions of media queries. */
const selectorsOf = (text: string): string[] =>
  text
    .replaceAll(/\/\*.*?\*\//gs, '')
    .split(/[{}]/)
    .filter((part) => /^[^;@]*$/.test(part))
    .flatMap((part) => part.split(/,(?![^(]*\))/))
    .map((part) => part.trim())
    .filter((part) => part.startsWith('.') || /^[a-z]/.test(part));

/** The classes that an element needs to match a selector. Classes in `:not()` are left out. */
const classesOf = (selector: string): string[] =>
  [...selector.replaceAll(/:not\([^)]*\)/g, '').matchAll(/\.([a-z][\w-]*)/gi)].map(([, name = '']) => name);

/** The CSS classes that a source file gives to elements. */
const givenIn = (text: string): Set<string> => {
  const values = [...text.matchAll(/\bclass=("[^"]*"|\{(?:`[^`]*`|[^}`])*\})/g)].map(([, value = '']) => value);
  const strings = values.flatMap((value) => value.match(/"[^"]*"|'[^']*'|`[^`]*`/g) ?? []);
  return new Set(strings.flatMap((value) => value.replaceAll(/\$\{[^}]*\}/g, ' ').match(/[\w-]+/g) ?? []));
};

describe('the sources of the dashboard', () => {
  const allowed = ['src/values/money.ts', 'src/values/curve.ts'];

  it('import nothing of the service but the curve and amounts of ether', () => {
    const wrong = webSources.flatMap(({ path, imports }) =>
      imports
        .filter((target) => /^(src|client)\//.test(target) && !allowed.includes(target))
        .map((target) => `${path} -> ${target}`),
    );
    expect(wrong).to.deep.equal([]);
  });

  it('never interpret a text as HTML', () => {
    const html = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc|DOMParser/i;
    expect(webSources.filter(({ text }) => html.test(text)).map(({ path }) => path)).to.deep.equal([]);
  });

  // The style sheet of a page stays loaded when the reader opens another page, so its rules must not match elements of
  // other pages.
  for (const { path, text } of sheets) {
    it(`style no element of other pages in ${path}`, () => {
      const importers = webSources.filter(({ imports }) => imports.includes(path)).map((source) => dirname(source.path));
      expect(importers).to.not.deep.equal([]);
      const own = [dirname(path), ...importers];
      const others = webSources.filter(
        (source) => source.path.endsWith('.tsx') && !own.some((folder) => dirname(source.path).startsWith(folder)),
      );
      const { shared = [], ...pages } = Object.groupBy(others, ({ path }) =>
        path.startsWith('web/src/pages/') ? String(path.split('/')[3]) : 'shared',
      );
      const given = Object.values(pages).map((page = []) => givenIn([...page, ...shared].map((source) => source.text).join('\n')));
      const leaks = selectorsOf(text).filter((selector) =>
        given.some((names) => classesOf(selector).every((name) => names.has(name))),
      );
      expect(leaks).to.deep.equal([]);
    });
  }
});
