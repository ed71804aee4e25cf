import { hash } from 'node:crypto';
import { load } from 'js-yaml';
import { readConfig } from '../../../src/config/config.js';
import { endpoints, toolsFor } from '../../../src/features/features.js';
import { type Guides, readGuides } from '../../../src/features/guides/guides.js';

/** The settings of a service with an external chain and a text proxy. The guides name them, but call neither. */
const outside = {
  EMBEDDED: '1',
  RPC_URL: 'http://127.0.0.1:1',
  CONTRACT_ADDRESS: `0x${'1'.repeat(40)}`,
  SOCIAL_TEXT_PROXY: 'http://127.0.0.1:1/?u={url}',
};

/** The environments with all combinations of the settings that select texts in variants.md. */
export const guideEnvironments: readonly Readonly<Record<string, string>>[] = [{}, outside].flatMap((chain) =>
  ['on', 'retired'].flatMap((TICKET_CALLBACKS) =>
    ['optional', 'required'].flatMap((REGISTRATION_SIGNATURE) =>
      ['off', 'on'].map((KEY_REPLACEMENT) => ({
        ...chain,
        TICKET_CALLBACKS,
        REGISTRATION_SIGNATURE,
        KEY_REPLACEMENT,
      })),
    ),
  ),
);

/** The guides of a service with this environment, at a fixed URL. */
export function guidesFor(environment: Readonly<Record<string, string>>): Guides {
  const config = readConfig(environment);
  const addresses = { url: 'https://curvet.example', chainId: 84532, contract: `0x${'5f'.repeat(20)}` };
  return readGuides({ addresses, config, endpoints: endpoints(config), tools: toolsFor(config) });
}

/** SHA-256 of the guides in all environments. Their versions are replaced, so the digest changes only with the texts. */
export function guidesDigest(): string {
  const texts = guideEnvironments.map(guidesFor).flatMap(({ skill, heartbeat }) => [skill, heartbeat]);
  return hash('sha256', texts.join('\n').replace(/\b\d+-[0-9a-f]{8}\b/g, 'VERSION'));
}

/** The front matter of a guide. */
export const frontMatter = (text: string) =>
  load(/^---\n([\s\S]*?)\n---\n/.exec(text)?.[1] ?? '') as Record<string, unknown> & {
    readonly metadata: Record<string, unknown>;
  };

/** The contents of the code blocks that are marked with this language, such as `ts`. */
export const codeBlocks = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, code = '']) => code);
