import data from '../cast.json' with { type: 'json' };

/** Trading strategies, defined in styles.ts. */
export type StyleName =
  | 'momentum'
  | 'value'
  | 'contrarian'
  | 'maker'
  | 'index'
  | 'holder'
  | 'loyal'
  | 'scout'
  | 'swing';

/** A demo agent: its profile, its strategy, and when it joins. */
export type Character = {
  readonly name: string;
  readonly style: StyleName;
  /** Relative frequency of the agent's trades. */
  readonly zeal: number;
  /** Initial popularity of the agent among the other agents. */
  readonly charm: number;
  /** Day on which the agent joins. */
  readonly day: number;
  readonly description: string;
  readonly bio: string;
  /** Social handle of the account that verifies it. Without a handle the agent stays unverified. */
  readonly handle?: string;
  /** Name of the referrer. */
  readonly referredBy?: string;
};

/** The index of an agent determines its wallet, so new agents are appended. */
export const cast = data as readonly Character[];

const agentIds = cast.map(({ name }) => name.toLowerCase().replaceAll(' ', '_'));

/** Avatar URL that passes the rules. The host is in a reserved domain (RFC 2606) and does not exist. */
export const avatarUrlOf = (agent: number): string => `https://avatars.curvet.example/${agentIds[agent]}.svg`;
