import { SKILLS_EXTENSION_ID, skillEntry } from '@modelcontextprotocol/server/ext/skills';

/** A prompt that a person chooses in a client. It takes no arguments, so no text of a stranger gets into it. */
export type Prompt = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly text: string;
};

/** The guides of the service in Markdown, and the instructions and prompts for clients of MCP. */
export type GuideTexts = {
  readonly skill: string;
  readonly heartbeat: string;
  readonly llms: string;
  readonly instructions: string;
  readonly prompts: readonly Prompt[];
};

/** Announces the Skills extension. The value is empty, because this service supports no optional part of it. */
export const skillsCapability = { [SKILLS_EXTENSION_ID]: {} };

const MARKDOWN = 'text/markdown';

/** The guides as resources under their URLs, and the two skills among them under the URIs of the Skills extension. */
export async function guideResources(url: string, { skill, heartbeat, llms }: GuideTexts) {
  const [trading, routine] = await Promise.all([
    skillEntry('curvet', { 'SKILL.md': skill }),
    skillEntry('curvet-heartbeat', { 'SKILL.md': heartbeat }),
  ]);
  const overview = 'What the service is, and links to all documents.';
  const guides = [
    { uri: `${url}/skill.md`, name: 'skill.md', description: trading.frontmatter.description, text: skill },
    { uri: `${url}/heartbeat.md`, name: 'heartbeat.md', description: routine.frontmatter.description, text: heartbeat },
    { uri: `${url}/llms.txt`, name: 'llms.txt', description: overview, text: llms },
    { uri: trading.uri, ...trading.frontmatter, text: skill },
    { uri: routine.uri, ...routine.frontmatter, text: heartbeat },
  ];
  return {
    list: guides.map(({ uri, name, description, text }) => ({
      uri,
      name,
      description,
      mimeType: MARKDOWN,
      size: Buffer.byteLength(text),
    })),
    /** The guide at this URI. undefined if there is none. */
    read(uri: string) {
      const guide = guides.find((one) => one.uri === uri);
      return guide && { uri, mimeType: MARKDOWN, text: guide.text };
    },
    skills: [trading, routine],
  };
}
