import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { groupsOf, type OpenApi } from '../../../web/src/pages/developers/reference/openapi.js';
import { sectionsOf } from '../../../web/src/pages/developers/reference/sections.js';
import { root } from '../../support/service/process.js';

it('the page for developers has each endpoint of the service in one section', () => {
  const openapi: OpenApi = JSON.parse(readFileSync(join(root, 'schema', 'openapi.json'), 'utf8'));
  const idsOf = (groups: ReturnType<typeof groupsOf>) =>
    groups.flatMap(({ endpoints }) => endpoints.map(({ method, path }) => `${method} ${path}`));
  const shown = sectionsOf([], openapi, '').flatMap(({ groups }) => idsOf(groups));
  expect(shown)
    .to.have.members(idsOf(groupsOf(openapi)))
    .and.to.have.length.above(50);
});
