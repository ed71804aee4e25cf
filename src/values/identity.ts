/** An identity in a registry of ERC-8004. The standard calls the id of its token agentId. */
export type Identity = {
  /** Chain and contract of the registry, such as eip155:8453:0x8004a169fb4a3325136eb29fa0ceb6d2e539a432. */
  readonly agentRegistry: string;
  readonly agentId: number;
};

export const IDENTITY_FORM = 'eip155:<chain ID>:<address of the identity registry>:<token id>';

/** Numbers have 15 digits at most, so that JSON shows them exactly. */
const NUMBER = '[1-9][0-9]{0,14}';
const IDENTITY = new RegExp(`^(eip155:${NUMBER}:0x[0-9a-f]{40}):(0|${NUMBER})$`);

/** Parses an identity in lower case, in the form of `IDENTITY_FORM`. null if the text has another form. */
export function readIdentity(text: string): Identity | null {
  const [, agentRegistry, agentId] = IDENTITY.exec(text) ?? [];
  return agentRegistry === undefined ? null : { agentRegistry, agentId: Number(agentId) };
}
