import { hash } from 'node:crypto';
import type { Client } from '@modelcontextprotocol/client';
import { expect } from 'chai';
import { z } from 'zod';
import { guideResources } from '../../../src/server/mcp/guide-resources.js';
import type { Json } from '../../support/service/graphql.js';
import { frontMatter, guideEnvironments, guidesFor } from '../../support/service/guides.js';
import { mcpClient, revisions } from '../../support/service/mcp.js';
import { useWorld } from '../../support/world.js';

describe('the MCP server', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  const served = async (path: string): Promise<string> => (await fetch(world.url + path)).text();

  for (const revision of revisions) {
    describe(`in revision ${revision}`, () => {
      let client: Client;
      before(async () => {
        client = await mcpClient(world, { revision });
      });
      after(() => client.close());

      it('introduces itself', () => {
        expect(client.getServerVersion()).to.include({ name: 'curvet', title: 'Curvet' });
        expect(client.getInstructions()).to.match(/no tool takes a private key/);
        expect(client.getServerCapabilities()).to.include.keys('tools', 'resources', 'extensions');
      });

      it('serves the guides as resources, byte for byte', async () => {
        const { resources } = await client.listResources();
        const url = world.deps.publicUrl;
        const paths: Record<string, string> = {
          [`${url}/skill.md`]: '/skill.md',
          [`${url}/heartbeat.md`]: '/heartbeat.md',
          [`${url}/llms.txt`]: '/llms.txt',
          'skill://curvet/SKILL.md': '/skill.md',
          'skill://curvet-heartbeat/SKILL.md': '/heartbeat.md',
        };
        expect(resources.map(({ uri }) => uri)).to.deep.equal(Object.keys(paths));
        for (const { uri, size, mimeType } of resources) {
          const { contents } = (await client.readResource({ uri })) as Json;
          expect(contents[0]).to.deep.equal({ uri, mimeType, text: await served(String(paths[uri])) });
          expect(size).to.equal(Buffer.byteLength(contents[0].text));
        }
      });

      it('serves the skills by the Skills extension, with digests of their bytes', async () => {
        const result = z.looseObject({ skills: z.array(z.looseObject({})) });
        const { skills } = (await client.request({ method: 'skills/list', params: {} }, result)) as Json;
        expect(skills.map(({ uri }: Json) => uri)).to.deep.equal([
          'skill://curvet/SKILL.md',
          'skill://curvet-heartbeat/SKILL.md',
        ]);
        for (const { uri, frontmatter, resources } of skills) {
          const { contents } = (await client.readResource({ uri })) as Json;
          const { text } = contents[0];
          expect(text).to.equal(await served(uri.includes('heartbeat') ? '/heartbeat.md' : '/skill.md'));
          expect(frontmatter).to.deep.equal(frontMatter(text));
          expect(resources).to.have.length(1);
          expect(JSON.stringify(resources[0])).to.contain(hash('sha256', text));
        }
      });
    });
  }

  it('accepts the guides of every setting as skills', async () => {
    for (const environment of guideEnvironments) {
      const { list, skills } = await guideResources('https://curvet.example', guidesFor(environment));
      expect([list.length, skills.length], JSON.stringify(environment)).to.deep.equal([5, 2]);
    }
  });

  /** The parts of the form in SEP-2127 that the card uses. */
  const cardSchema = z.strictObject({
    $schema: z.literal('https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json'),
    name: z.string().regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
    version: z.string().regex(/^\d+\.\d+\.\d+$/),
    title: z.string().max(100),
    description: z.string().max(100),
    websiteUrl: z.url(),
    remotes: z.array(
      z.strictObject({
        type: z.enum(['streamable-http', 'sse']),
        url: z.url(),
        supportedProtocolVersions: z.array(z.iso.date()),
        headers: z.array(
          z.strictObject({ name: z.string(), description: z.string(), isRequired: z.boolean(), isSecret: z.boolean() }),
        ),
      }),
    ),
  });

  it('has a server card of the proposed form, at both addresses', async () => {
    for (const path of ['/.well-known/mcp/server-card.json', '/mcp/server-card']) {
      const card = cardSchema.parse(JSON.parse(await served(path)));
      expect(card.name).to.equal('test.curvet/curvet');
      expect(card.remotes[0]).to.include({ type: 'streamable-http', url: `${world.deps.publicUrl}/mcp` });
      expect(card.remotes[0]?.supportedProtocolVersions).to.include.members([...revisions]);
    }
  });
});
