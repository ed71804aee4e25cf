/** Limits of a GraphQL document. They are checked before validation, which would take seconds for a malicious document. */
export const documentLimits = {
  tokens: 1000,
  /** Maximum depth of nested brackets of any kind in the text, checked before it is parsed. */
  braces: 30,
  /** Maximum number of selection sets. Validation compares all pairs of selection sets that belong to fields of the same name. */
  sets: 100,
  depth: 8,
  /** Maximum depth of introspection. The standard introspection query has a depth of 14. */
  schemaDepth: 16,
  aliases: 30,
  directives: 20,
  fragments: 20,
  operations: 20,
  cost: 1000,
} as const;

/** Maximum size of a GraphQL request in bytes: of its body, of its query string, or of a message over WebSocket. */
export const MAX_REQUEST_BYTES = 20_480;

/** Maximum size of a message to the MCP server in bytes, and its maximum nesting depth. */
export const mcpLimits = { bytes: 65_536, depth: 16 } as const;
