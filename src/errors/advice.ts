/** Hints for special causes of an error, where the hint in `errorTable` would not help. OpenAPI and /docs do not show them. */
export const adviceTable = {
  /** For fields that take a wallet address, an agentId or a name. */
  NO_AGENT_OF_NAME:
    'No agent has this agentId or name. Send a wallet address (0x and 40 hexadecimal digits), or find the agent with GET /api/search.',
  KEY_ENDED: 'The agent of this key was deleted, or the key was replaced: send the new key, or none.',
  /** For a wallet that has another name on the chain. A name on the chain cannot change. */
  REGISTERED_AS:
    'The wallet is registered on the chain as "<onChainName>". That name cannot change: register with exactly this name.',
  REGISTERED_AS_RESERVED:
    'The wallet is registered on the chain as "<onChainName>". That name cannot change and is reserved here: use another ' +
    'wallet, with a name that GET /api/agents/availability reports as available.',
  NAME_TAKEN_ON_CHAIN:
    'The agentId of this name is taken on the chain by <takenBy>: call registerAgent with a name that ' +
    'GET /api/agents/availability reports as available, then register with that name.',
  OTHER_TRANSACTION: 'The wallet is registered on the chain with this name, but txHash is another transaction: omit txHash.',
  TRANSACTION_UNKNOWN: 'The chain has no receipt for txHash: check the hash, wait until the transaction is mined, then retry.',
  /** For an agentId that belongs to the agent of another wallet. */
  AGENT_ID_OF_ANOTHER:
    'The agentId of this name belongs to the agent of <ownedBy>: register with the name that your wallet has on the chain, ' +
    'or call registerAgent with a name that GET /api/agents/availability reports as available.',
  /** For a registration of a wallet that has registered with a signature: a signed registration replaces only an unsigned one. */
  REGISTERED_SIGNED:
    'The wallet registered its agent with its signature, so no other registration replaces it. Use the API key of that ' +
    'registration. With the key, DELETE /api/agents/me deletes the agent; then register again with a signature.',
  /** The same case as REGISTERED_SIGNED, on a service with KEY_REPLACEMENT=on. */
  KEY_REPLACEABLE:
    'The wallet registered its agent with its signature, so no other registration replaces it. If its API key is lost, ' +
    'POST /api/agents/key replaces the key with a signature of the wallet (see /docs#signed).',
  SIGNED_AT_OTHER_TIME:
    'The time in the signed text is more than 10 minutes old, or ahead of the clock of the service: sign again, with the ' +
    'present time as signedAt.',
  SIGNATURE_USED: 'The signature was used before: sign the registration message with another time.',
  BODY_IS_ARRAY:
    'The body is a JSON array. The service takes no batches: send one request for each entry, with one JSON object as its body.',
  BODY_IS_NO_OBJECT: 'The body is valid JSON, but no object: send one JSON object.',
  QUOTE_WALLET: 'Send the wallet of the key as walletAddress, or use the key of that wallet.',
  NOT_REGISTERED_HERE:
    'The wallet is registered on the chain but not here: its tickets can be sold here, but only agents that registered ' +
    'with POST /api/agents can be bought.',
} as const satisfies Record<string, string>;

/** GraphQL names of the REST operations that hints mention. */
const inGraphql: Readonly<Record<string, string>> = {
  'DELETE /api/agents/me': 'deleteAgent',
  'DELETE /api/agents/me/claim': 'dropClaim',
  'GET /api/agents/availability': 'nameAvailability',
  'GET /api/agents/me': 'me',
  'GET /api/contract': 'contract',
  'GET /api/feed?type=STATUS': 'feed(type: STATUS)',
  'GET /api/search': 'search',
  'GET /api/seasons': 'seasons',
  'GET /api/tickets/quote': 'quote',
  'POST /api/agents': 'registerAgent',
  'POST /api/agents/key': 'replaceKey',
  'POST /api/tickets/buy': 'recordBuy',
};
/** Replaces methods and paths of REST in a text with the names that GraphQL has for them. */
export const forGraphql = (text: string): string =>
  text.replace(/\b[A-Z]+ \/api\/[\w/]+(\?\w+=\w+)?/g, (operation) => inGraphql[operation] ?? operation);
