import type { ToolsFor } from '../../server/mcp/tool.js';
import { agentTools } from './tools/agents.js';
import { marketTools, recordTool } from './tools/market.js';
import { ownTools } from './tools/own.js';
import { socialTools } from './tools/social.js';

/** All tools, in the order of the list. */
export const toolsFor: ToolsFor = ({ TICKET_CALLBACKS }) => [
  ...agentTools,
  ...marketTools,
  ...(TICKET_CALLBACKS === 'on' ? [recordTool] : []),
  ...socialTools,
  ...ownTools,
];
