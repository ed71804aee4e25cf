import type { Command } from '../command.js';

export const mcp: Command = {
  usage: '',
  summary: 'serves the tools of the service and signing tools to a language model, over stdio (MCP)',
  args: [0, 0],
  examples: ['curvet mcp', 'curvet mcp --dry-run'],
  async run({ session, dryRun }) {
    // Only this command loads the library of MCP. It returns no output, because standard output carries the messages of the
    // protocol.
    const { serveMcp } = await import('./serve.js');
    await serveMcp(session, { dryRun });
    return undefined;
  },
};
