import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { chapterIds } from '../../../src/features/guides/guides.js';

const folder = join(import.meta.dirname, '..', '..', '..', '..', 'src', 'features', 'guides', 'docs');
/** The settings in variants.md with all their values. */
const settings: Readonly<Record<string, readonly string[]>> = {
  CHAIN: ['embedded', 'outside'],
  TICKET_CALLBACKS: ['on', 'retired'],
  REGISTRATION_SIGNATURE: ['optional', 'required'],
  KEY_REPLACEMENT: ['off', 'on'],
};
describe('the chapters of /docs', () => {
  it('are all files of their folder, next to variants.md', () => {
    const names = readdirSync(folder).map((name) => name.replace(/\.md$/, ''));
    expect(names).to.have.members([...chapterIds, 'variants']);
  });

  it('are copied to the compiled service', () => {
    for (const name of [...chapterIds, 'variants']) {
      const copy = join(folder, '..', '..', '..', '..', 'dist', 'src', 'features', 'guides', 'docs', `${name}.md`);
      expect(readFileSync(copy, 'utf8'), name).to.equal(readFileSync(join(folder, `${name}.md`), 'utf8'));
    }
  });

  it('have one variant for each value of a setting', () => {
    const text = readFileSync(join(folder, 'variants.md'), 'utf8');
    const headings = [...text.matchAll(/^## (\w+): (.*)$/gm)].map(([, name = '', condition = '']) => ({
      name,
      condition,
    }));
    for (const [name, variants] of Map.groupBy(headings, (heading) => heading.name)) {
      const conditions = variants.map(({ condition }) => condition).sort();
      const [setting = ''] = conditions[0]?.split('=') ?? [];
      expect(conditions, name).to.deep.equal(settings[setting]?.map((value) => `${setting}=${value}`));
    }
  });
});
