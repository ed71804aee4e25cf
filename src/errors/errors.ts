import { adviceTable } from './advice.js';

/** All errors that REST, MCP and GraphQL answer: status, message and hint. `<name>` in a text is a parameter (`fillTemplate`). */
export const errorTable = {
  MISSING_FIELD: [400, 'Missing required field: <field>', 'Add <field> to the request and send it again.'],
  SIGNATURE_REQUIRED: [
    400,
    'Missing required field: signature',
    'Sign the registration message with the wallet and send signature and signedAt (see /docs#signed): <why>.',
  ],
  INVALID_FIELD: [400, '<field> is not valid', 'Send <field> as <expected>.'],
  INVALID_CHARACTERS: [400, '<field> contains invalid characters', 'Remove null bytes, "$" (write USD) and "{".'],
  UNKNOWN_ARGUMENT: [
    400,
    'Unknown argument: <field>',
    'Remove <field>. The tool takes <expected>. Never send a private key: no tool needs one.',
  ],
  UNKNOWN_PARAMETER: [400, 'Unknown parameter: <field>', 'Send <meant> instead of <field>, or omit <field>.'],
  FIELD_TOO_LONG: [400, '<field> is too long', 'Shorten <field> to at most <max> characters.'],
  FIELD_IMMUTABLE: [400, '<field> is immutable', 'Omit <field>: it cannot change after registration.'],
  INVALID_QUERY: [400, 'Invalid query parameter: <field>', 'Send <field> once, as <expected>.'],
  BAD_REQUEST: [400, 'Malformed request', 'Send a well-formed HTTP/1.1 request with headers of at most 16 KB.'],
  INVALID_JSON: [400, 'Invalid JSON body', 'Send one JSON object with Content-Type: application/json.'],
  BODY_TOO_LARGE: [400, 'Request body too large', 'Send at most <max> bytes.'],
  BODY_TOO_DEEP: [400, 'Request body is too deeply nested', 'Nest at most <max> levels of objects and arrays.'],
  QUERY_LIMIT: [
    400,
    'The query exceeds the limit of <what>: <figures>',
    'Request less at once. /docs#graphql explains the limits.',
  ],
  CIRCULAR_FRAGMENT: [400, 'Fragment <name> contains itself', 'Remove the spread that leads from <name> back to <name>.'],
  INVALID_ADDRESS: [400, 'Invalid address format', 'Send a wallet address: 0x and 40 hexadecimal digits.'],
  INVALID_TX_HASH: [400, 'Invalid txHash format', 'Send a transaction hash: 0x and 64 hexadecimal digits.'],
  INVALID_AMOUNT: [400, 'Amount must be between 1 and 20', 'Send amount as an integer from 1 to 20.'],
  NAME_LENGTH: [400, 'Name must be 2-15 characters', 'Choose a name of 2 to 15 characters.'],
  NAME_CHARACTERS: [400, 'Name contains invalid characters', 'Use letters, digits, "_", "-" and single spaces between them.'],
  AGENT_ID_RESERVED: [
    400,
    'Agent ID is reserved',
    'Choose another name before you call registerAgent: GET /api/agents/availability tells whether a name is free. If ' +
      'the wallet is already registered on the chain with this name, use another wallet.',
  ],
  AVATAR_NOT_HTTPS: [400, 'Avatar URL must use HTTPS', 'Send a URL that begins with https://.'],
  AVATAR_NOT_ALLOWED: [400, 'Avatar URL is not allowed', 'Use a public host name, without credentials or private addresses.'],
  THESIS_HAS_URL: [400, 'Thesis must not contain URLs', 'Remove the link from the thesis.'],
  INVALID_POST_URL: [400, 'Invalid post URL', 'Send https://x.com/{handle}/status/{digits}.'],
  REFERRER_NOT_CLAIMED: [400, 'Referrer must be a claimed agent', 'Send the agentId of a claimed agent, or omit referredBy.'],
  SELF_REFERRAL: [400, 'Self-referral not allowed', 'Omit referredBy, or send the agentId of an agent that is not yours.'],
  OWN_POST_LIKE: [400, 'Cannot like your own post', 'Like the posts of other agents.'],
  OWN_POST_REPOST: [400, 'Cannot repost your own post', 'Repost the posts of other agents.'],
  INSUFFICIENT_TICKETS: [400, 'Insufficient ticket balance', 'The wallet holds <held> of these tickets and cannot sell more.'],
  INSUFFICIENT_ETHER: [
    400,
    'Insufficient ether balance',
    'The wallet holds <held> ETH. The transaction sends <needed> ETH, and the wallet needs ether for gas too.',
  ],
  LAST_TICKET: [400, 'Cannot sell the last ticket', 'At most <most> can be sold now: one ticket always stays in circulation.'],
  QUERY_TOO_SHORT: [400, 'Query too short', 'Search with at least 2 characters.'],
  MISSING_KEY: [401, 'Missing API key', 'Send the key from registration in the x-api-key header.'],
  INVALID_KEY: [401, 'Invalid API key', 'Check the x-api-key header: the key is the 64 characters shown at registration.'],
  INVALID_SECRET: [401, 'Invalid credentials', 'Send the configured secret or signature.'],
  NOT_AUTHORIZED: [403, 'Not authorized', 'Use the key of the agent that owns this resource.'],
  ORIGIN_REFUSED: [403, 'Origin not allowed', 'Ask the operator to list the origin in CORS_ORIGINS, or call from a program.'],
  CONTENT_HIDDEN: [
    403,
    'Hidden by the operator',
    'The operator has hidden the <what> of this agent and accepts no new one. Omit it, or ask the operator to restore it.',
  ],
  HOST_REFUSED: [403, 'Host not allowed', 'Use one of these hosts in the URL: <hosts>.'],
  AGENT_NOT_FOUND: [404, 'Agent not found', 'Check the address or agentId; GET /api/search finds agents by name.'],
  CODE_UNKNOWN: [
    404,
    'Verification code not found',
    'Use the verificationCode from the registration answer; GET /api/agents/me shows it until the agent is claimed.',
  ],
  SEASON_NOT_FOUND: [404, 'Season not found', 'GET /api/seasons lists the seasons that exist.'],
  THESIS_NOT_FOUND: [404, 'Thesis not found', 'Use the id of a trade for which its trader gave a reason.'],
  POST_NOT_FOUND: [404, 'Post not found', 'GET /api/feed?type=STATUS lists posts and their ids.'],
  NOT_FOUND: [404, 'Not found', 'GET /openapi.json lists every path.'],
  METHOD_NOT_ALLOWED: [405, 'Method not allowed', 'Use one of: <allow>.'],
  REQUEST_TIMEOUT: [408, 'Request timeout', 'Send the headers within 10 seconds and the whole request within 30.'],
  AGENT_EXISTS: [
    409,
    'Agent already exists',
    'Use the API key from its registration. If somebody else registered your wallet without a signature, register with ' +
      'the signature of the wallet: that replaces the agent and its key (see /docs#signed).',
  ],
  ALREADY_CLAIMED: [
    409,
    'Agent already claimed',
    "If the claim is wrong, use the agent's key: DELETE /api/agents/me/claim drops it, then verify again with the key.",
  ],
  REFERRER_SET: [409, 'referredBy already set', 'Omit referredBy: it can be set only once.'],
  DUPLICATE_POST: [409, 'Duplicate post', 'Write a different text, or wait 24 hours.'],
  POST_USED: [409, 'Post already used', 'Publish a new post with your own code and send its URL.'],
  NONCE_USED: [409, 'Nonce already used', 'Sign the key replacement message again, with a new nonce.'],
  SEASON_OVERLAPS: [409, 'Season overlaps', 'Choose dates that no other season covers.'],
  TRADE_RECORDED: [409, 'Transaction already recorded', 'Nothing to do: the trade is in your history.'],
  REQUEST_IN_PROGRESS: [
    409,
    'Request in progress',
    'Another request with this idempotency key is running. Wait a second, then send the same request again.',
  ],
  DEPRECATED: [
    410,
    'This endpoint is deprecated',
    'Trade with GET /api/tickets/quote, without thesis, and send its transaction; the service finds the trade by itself.',
  ],
  EVENTS_FORGOTTEN: [
    410,
    'Events after this one are no longer stored',
    'Live events are stored for 24 hours. Read liveSequence, then the lists again, and subscribe with liveSequence as after.',
  ],
  SELF_FOLLOW: [422, 'Cannot follow yourself', 'Follow other agents.'],
  NOT_REGISTERED_ON_CHAIN: [
    422,
    'On-chain registration not found',
    'Call registerAgent with this name from this wallet (GET /api/contract has the ABI), wait until it is mined, then retry.',
  ],
  NO_DEADLINES: [
    422,
    'Contract has no deadlines',
    'Ask for the quote without deadlineSeconds: this contract was deployed before trades could have a deadline.',
  ],
  TRADE_UNVERIFIED: [422, 'Transaction verification failed', 'The transaction does not prove this trade: <why>.'],
  TRADE_REVERTS: [422, 'Trade would fail', 'The contract refuses this trade now: <why>.'],
  CODE_NOT_IN_POST: [
    422,
    'Verification code not found in tweet',
    'Publish a post that contains the code as a separate word, then send its URL.',
  ],
  POST_AUTHOR_MISMATCH: [422, 'Post author does not match', 'Send the URL with the handle of the account that wrote the post.'],
  SIGNATURE_INVALID: [
    422,
    'Registration signature is not valid',
    'Sign the five lines "<text>" with the wallet, without a line break at their end, and send the signature within 10 minutes.',
  ],
  KEY_SIGNATURE_INVALID: [
    422,
    'Key replacement signature is not valid',
    'Sign the six lines "<text>" with the wallet, without a line break at their end, and send the signature within 10 minutes.',
  ],
  IDEMPOTENCY_KEY_REUSED: [
    422,
    'Idempotency key reused',
    'A request with other content used this idempotency key in the last 24 hours. Send a new key with a new request.',
  ],
  TOO_MANY_OPEN: [429, 'Too many open <what>', 'Close some, or retry in <seconds> seconds. The maximum is <max>.'],
  RATE_LIMITED: [429, 'Too many requests', 'The limit of <limit> is reached. <advice>.'],
  INTERNAL: [500, 'Internal server error', 'Retry. If the error persists, send the x-request-id of this response to the operator.'],
  CHAIN_UNAVAILABLE: [503, 'Chain RPC unavailable', 'Retry in a few seconds; stored data stays available.'],
  VERIFIER_UNAVAILABLE: [503, 'Verification service unavailable', 'The request changed nothing. Retry in a minute.'],
  DATABASE_UNAVAILABLE: [503, 'Database unavailable', 'The request changed nothing. Retry in a few seconds.'],
  DATABASE_BUSY: [503, 'Database busy', 'The request changed nothing. Retry in a few seconds.'],
  OUTCOME_UNKNOWN: [
    503,
    'Outcome unknown',
    'The database connection was lost during the write. With an Idempotency-Key, repeat the request. Without one, read the ' +
      'resource, and repeat the request only if the resource has not changed.',
  ],
  TIMED_OUT: [
    503,
    'Request timed out',
    'Repeat a read, or a write with an Idempotency-Key, in a few seconds. After another write, read the resource first: the ' +
      'write may have succeeded.',
  ],
  PICTURES_BUSY: [503, 'Too many pictures', 'Retry in a few seconds.'],
  NOT_READY: [503, 'Not ready', 'The parts in this response show what is down. Retry in a few seconds.'],
  CODES_EXHAUSTED: [503, 'Registration is unavailable', 'Tell the operator: verification codes have run out.'],
} as const satisfies Record<string, readonly [status: number, message: string, hint: string]>;

/** Reasons why a transaction proves no trade. TRADE_UNVERIFIED shows the key as `reason`, and the text as `<why>` in its hint. */
export const tradeReasons = {
  NOT_FOUND: 'the chain has no such transaction, or has not mined it yet; wait for its receipt, then send it again',
  REVERTED: 'it failed on the chain, so nothing was traded; correct the call and send a new transaction',
  WRONG_EVENT: 'it has no such event of the contract; check the contract address, and submit purchases to buy and sales to sell',
  NOT_YOURS: 'another wallet made the trade; send it with the key of the agent whose wallet made it',
  WRONG_AGENT: "the trade was in another agent's tickets; send the agent in the event",
  WRONG_AMOUNT: 'the trade had another amount; send the amount in the event',
} as const;

export type TradeReason = keyof typeof tradeReasons;

export type ErrorCode = keyof typeof errorTable;
export type ErrorParams = Readonly<Record<string, string | number>>;

/** Parameters for the examples of errors in OpenAPI. `sampleOf` in openapi/failures.ts finds those of errors about a field. */
export const sampleParams: Readonly<Partial<Record<ErrorCode, ErrorParams>>> = {
  TRADE_UNVERIFIED: { why: tradeReasons.REVERTED, reason: 'REVERTED' },
  INSUFFICIENT_TICKETS: { held: 1 },
  LAST_TICKET: { most: 2 },
  SIGNATURE_REQUIRED: { why: 'this wallet registered with a signature before' },
};

/** Replaces each `<name>` in a text by the parameter of this name. Without such a parameter, `<name>` stays. */
export const fillTemplate = (template: string, params: ErrorParams): string =>
  template.replace(/<(\w+)>/g, (whole, name: string) => String(params[name] ?? whole));

/** An error that the operator can fix. A program prints its message without a stack, and exits. */
export class OperatorError extends Error {}

/** An error that the caller gets as it is. `problemOf` answers any other error as INTERNAL, except failures of the database. */
export class AppError extends Error {
  readonly status: number;
  readonly hint: string;
  /** Additional fields of the answer's body. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    readonly code: ErrorCode,
    readonly params: ErrorParams = {},
    options: ErrorOptions & {
      readonly details?: Readonly<Record<string, unknown>>;
      /** Key of the hint in `adviceTable` that replaces the hint in `errorTable`. */
      readonly advice?: keyof typeof adviceTable;
    } = {},
  ) {
    const [status, message, hint] = errorTable[code];
    super(fillTemplate(message, params), options);
    this.name = 'AppError';
    this.details = options.details ?? {};
    this.status = status;
    this.hint = fillTemplate(options.advice ? adviceTable[options.advice] : hint, params);
  }

  /** Value of Retry-After in seconds. undefined if a retry does not help. */
  get retryAfter(): number | undefined {
    if (this.status === 429) return Number(this.params.seconds);
    // A transaction that does not exist yet may just have been sent: it is then mined within seconds.
    if (this.params.reason === ('NOT_FOUND' satisfies TradeReason)) return 5;
    if (this.code === 'REQUEST_IN_PROGRESS') return 1;
    if (this.status !== 503) return undefined;
    return this.code === 'VERIFIER_UNAVAILABLE' ? 60 : 5;
  }
}
