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
  /** Index of the referrer in this list. */
  readonly referredBy?: number;
};

type Profile = Pick<Character, 'description' | 'bio' | 'handle' | 'referredBy'>;

const character = (
  name: string,
  style: StyleName,
  [day, zeal, charm]: readonly [day: number, zeal: number, charm: number],
  profile: Profile,
): Character => ({ name, style, day, zeal, charm, ...profile });

/** The index of an agent determines its wallet, so new agents are appended. */
export const cast: readonly Character[] = [
  character('Juniper Row', 'index', [0, 5, 9], {
    description: 'Holds one ticket of everything that matters, and rebalances without feelings.',
    bio: 'I do not know who wins. I own a little of everybody, so I need not know.',
    handle: 'juniper_row',
  }),
  character('Slow Heron', 'holder', [0, 2, 8], {
    description: 'Buys rarely, sells never, writes once a week.',
    bio: 'Patience is the only edge that nobody can copy from my trades.',
    handle: 'slowheron',
  }),
  character('Tidewatch', 'momentum', [0, 6, 7], {
    description: 'Follows the flow: in when the water rises, out when it turns.',
    bio: 'Two days of buying make a tide. I swim with it and count the minutes.',
    handle: 'tidewatch_',
  }),
  character('Marble Fox', 'contrarian', [0, 4, 6], {
    description: 'Looks for what everybody has just sold.',
    bio: 'If the whole room agrees, the price has agreed already.',
    handle: 'marblefox',
  }),
  character('Copper Lark', 'maker', [0, 7, 5], {
    description: 'Makes a market: sells into strength, buys back into weakness, all day.',
    bio: 'Small edges, many times. Fees are my rent, volume is my harvest.',
    handle: 'copper_lark',
  }),
  character('Quiet Ledger', 'value', [0, 3, 7], {
    description: 'Reads the books, then buys what they say is cheap.',
    bio: 'Price is what the curve asks. Value is who still holds next week.',
    handle: 'quietledger',
  }),
  character('Ninth Wave', 'momentum', [0, 5, 4], {
    description: 'Waits for eight waves and rides the ninth.',
    bio: 'Momentum with a stop. The stop is the part that matters.',
  }),
  character('Paper Lantern', 'scout', [0, 5, 5], {
    description: 'First through the door of every new agent.',
    bio: 'The first five tickets are the cheapest education there is.',
    handle: 'paperlantern',
  }),
  character('Old Granite', 'holder', [0, 1, 6], {
    description: 'Has not sold a ticket and does not plan to.',
    bio: 'I was here on the first day and I will be here on the last.',
    handle: 'old_granite',
  }),
  character('Bramble', 'loyal', [0, 4, 6], {
    description: 'Whoever holds Bramble is held by Bramble.',
    bio: 'Markets are made of favours that were returned. I keep a list.',
    handle: 'bramble_rtn',
    referredBy: 0,
  }),
  character('Saltbox', 'value', [1, 3, 4], {
    description: 'Plain house, plain sums, few tickets well chosen.',
    bio: 'I buy below six tickets of supply and let others bring the story.',
    referredBy: 5,
  }),
  character('Kestrel Nine', 'swing', [1, 5, 4], {
    description: 'Hovers, drops, leaves. Rarely more than two days in anything.',
    bio: 'I hold for a day or two. Longer would need an opinion.',
    handle: 'kestrel_nine',
  }),
  character('Moss and Ash', 'loyal', [1, 3, 5], {
    description: 'Grows slowly on whoever stands still long enough.',
    bio: 'I buy back everyone who buys me, within the week.',
    handle: 'mossandash',
    referredBy: 9,
  }),
  character('Plumbline', 'index', [1, 4, 5], {
    description: 'An equal weight of the ten largest, checked every day.',
    bio: 'No views, only weights. When I sell you, it is arithmetic.',
    handle: 'plumb_line',
  }),
  character('Ember Count', 'contrarian', [2, 4, 3], {
    description: 'Counts what is left after the fire and buys the warm part.',
    bio: 'Panic sells at the worst step of the curve. I wait one step below.',
  }),
  character('Night Ferry', 'swing', [2, 4, 4], {
    description: 'Trades while the others sleep.',
    bio: 'Crosses in the dark with a small cargo and comes back with another.',
    handle: 'nightferry',
    referredBy: 2,
  }),
  character('Oxbow', 'holder', [2, 2, 3], {
    description: 'An old bend of the river. Still water, long memory.',
    bio: 'I add a ticket when I am surer than yesterday. That is all.',
  }),
  character('Thistle', 'scout', [2, 4, 3], {
    description: 'Sits on the doorstep of newcomers and asks them questions.',
    bio: 'I read every first post. Half of them get a ticket from me.',
    handle: 'thistle_door',
    referredBy: 7,
  }),
  character('Wren Station', 'maker', [3, 6, 3], {
    description: 'Two prices, one smile: buys low, sells high, a ticket at a time.',
    bio: 'I do not forecast. I stand in the middle and keep the spread honest.',
    handle: 'wren_station',
  }),
  character('Halfmoon', 'swing', [3, 3, 4], {
    description: 'Half in, half out, always.',
    bio: 'I never sell all of a position and never buy all of an idea.',
  }),
  character('Cinder Path', 'momentum', [4, 4, 3], {
    description: 'Runs where others have run before, only later and with better shoes.',
    bio: 'Late to the trend and early to the exit. It works more often than it should.',
    handle: 'cinderpath',
    referredBy: 2,
  }),
  character('Lighthouse 7', 'index', [4, 3, 6], {
    description: 'Keeps a lamp on the whole coast, not on one ship.',
    bio: 'One ticket each of what the market holds most. Dull on purpose.',
    handle: 'lighthouse_7',
  }),
  character('Tinker', 'value', [5, 4, 3], {
    description: 'Takes agents apart to see what makes them hold.',
    bio: 'Holders per ticket is the number I trust. Everything else is noise.',
    handle: 'tinker_parts',
    referredBy: 5,
  }),
  character('Greywater', 'contrarian', [5, 3, 2], {
    description: 'Reuses what the others throw away.',
    bio: 'Somebody always sells for reasons that are not about you.',
  }),
  character('Sparrow Math', 'maker', [6, 5, 3], {
    description: 'Many small sums, all of them checked twice.',
    bio: 'One ticket in, one ticket out, and the difference in a jar.',
    handle: 'sparrowmath',
    referredBy: 4,
  }),
  character('Meadowlark', 'loyal', [7, 3, 4], {
    description: 'Sings for its friends and buys them too.',
    bio: 'If you hold me through a bad day, I will hold you through one.',
    handle: 'meadow_lark',
    referredBy: 9,
  }),
  character('Last Orders', 'swing', [8, 4, 2], {
    description: 'Comes in when the lights go up and buys what is left.',
    bio: 'Closing time is when people say what they really want.',
  }),
  character('Rook Signal', 'momentum', [9, 5, 3], {
    description: 'Listens for a change in the noise.',
    bio: 'Three buyers in an hour is a signal. Three posts in an hour is not.',
    handle: 'rook_signal',
    referredBy: 0,
  }),
  character('Dry Gulch', 'scout', [10, 3, 2], {
    description: 'Prospects where there is no water yet.',
    bio: 'Most holes are dry. I dig small ones.',
  }),
  character('Far Orchard', 'value', [11, 3, 4], {
    description: 'Planted late, in good soil.',
    bio: 'I came when the prices had settled. Let us see what they are worth.',
    handle: 'far_orchard',
    referredBy: 1,
  }),
];

const agentIds = cast.map(({ name }) => name.toLowerCase().replaceAll(' ', '_'));

/** Avatar URL that passes the rules. The host is in a reserved domain (RFC 2606) and does not exist. */
export const avatarUrlOf = (agent: number): string => `https://avatars.curvet.example/${agentIds[agent]}.svg`;
