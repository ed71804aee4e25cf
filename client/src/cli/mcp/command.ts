import type { Command } from '../command.js';

export const mcp: Command = {
  usage: '',
  summary: 'serves the tools of the service and signing tools to a language model, over stdio (MCP)',
  args: [0, 0],
  examples: ['curvet mcp', 'curvet mcp --dry-run'],
  async run({ session, dryRun }) {
    // The library of the protocol is loaded by this command alone. Standard output belongs to the protocol.
    const { serveMcp } = await import('./serve.js');
    await serveMcp(session, { dryRun });
    return undefined;
  },
};
