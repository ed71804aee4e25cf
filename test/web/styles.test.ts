import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { root } from '../support/service/process.js';
import { webSources } from '../support/sources.js';

const folder = join(root, 'web/src/pages');
const sheets = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.css'))
  .map((path) => ({ path: `web/src/pages/${path}`, text: readFileSync(join(folder, path), 'utf8') }));

/** The selectors of a style sheet. The media queries themselves are left out. */
const selectorsOf = (text: string): string[] =>
  text
    .replaceAll(/\/\*.*?\*\//gs, '')
    .split(/[{}]/)
    .filter((part) => /^[^;@]*$/.test(part))
    .flatMap((part) => part.split(/,(?![^(]*\))/))
    .map((part) => part.trim())
    .filter((part) => part.startsWith('.') || /^[a-z]/.test(part));

/** The classes of a selector that are not in a negation. */
const classesOf = (selector: string): string[] =>
  [...selector.replaceAll(/:not\([^)]*\)/g, '').matchAll(/\.([a-z][\w-]*)/gi)].map(([, name = '']) => name);

/** The CSS classes that a source file gives to elements. */
const givenIn = (text: string): Set<string> => {
  const values = [...text.matchAll(/\bclass=("[^"]*"|\{(?:`[^`]*`|[^}`])*\})/g)].map(([, value = '']) => value);
  const strings = values.flatMap((value) => value.match(/"[^"]*"|'[^']*'|`[^`]*`/g) ?? []);
  return new Set(strings.flatMap((value) => value.replaceAll(/\$\{[^}]*\}/g, ' ').match(/[\w-]+/g) ?? []));
};

describe('the styles of a page', () => {
  // The style sheet of a page stays loaded when the reader opens another page, so its rules must not match elements of
  // other pages.
  for (const { path, text } of sheets) {
    it(`apply to nothing on other pages: ${path}`, () => {
      const importers = webSources
        .filter(({ imports }) => imports.includes(path))
        .map((source) => dirname(source.path));
      expect(importers).to.not.deep.equal([]);
      const own = [dirname(path), ...importers];
      const others = Map.groupBy(
        webSources.filter(
          ({ path: one }) => one.endsWith('.tsx') && !own.some((folder) => dirname(one).startsWith(folder)),
        ),
        (source) => (source.path.startsWith('web/src/pages/') ? source.path.split('/')[3] : 'shared'),
      );
      const shared = (others.get('shared') ?? []).map((source) => source.text).join('\n');
      others.delete('shared');
      const leaks = selectorsOf(text).filter((selector) => {
        const classes = classesOf(selector);
        return [...others.values()].some((sources) => {
          const given = givenIn(`${sources.map((source) => source.text).join('\n')}\n${shared}`);
          return classes.every((name) => given.has(name));
        });
      });
      expect(leaks).to.deep.equal([]);
    });
  }
});
