import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect } from 'chai';
import { root } from './support/service/process.js';

const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((path) => path !== '' && !path.startsWith('bench/node_modules/'));

describe('the documents', () => {
  it('name only files and folders that exist', () => {
    const missing = documents.flatMap((document) => {
      const text = readFileSync(join(root, document), 'utf8');
      const paths = text.matchAll(
        /`((?:src|test|bench|scripts|contracts|docs|deploy|schema|examples|bin)\/[\w./-]+)`/g,
      );
      return [...paths].map(([, path = '']) => path).filter((path) => !existsSync(join(root, path)));
    });
    expect(missing).to.deep.equal([]);
  });

  it('link only to files that exist', () => {
    const missing = documents.flatMap((document) => {
      const text = readFileSync(join(root, document), 'utf8');
      const links = [...text.matchAll(/\]\((?!https?:|mailto:|#|\{\{)([^)#]+)(?:#[^)]*)?\)/g)].map(
        ([, path = '']) => path,
      );
      return links
        .filter((path) => !existsSync(join(root, normalize(join(dirname(document), path)))))
        .map((path) => `${document}: ${path}`);
    });
    expect(missing).to.deep.equal([]);
  });
});
