import type { StyleName } from './cast.js';

/** Values for the texts about a trade: the trade itself, and the agent whose tickets were traded. */
export type Subject = {
  readonly name: string;
  readonly amount: number;
  /** Supply and holders of the agent after the trade. */
  readonly supply: number;
  readonly holders: number;
  /** Price of the next ticket in ETH. */
  readonly price: string;
};
type Words = (about: Subject) => string;

const some = (amount: number): string => (amount === 1 ? 'one ticket' : `${amount} tickets`);

/** Strategies with texts of their own. `drift` is for trades without a strategy. */
export type Manner = StyleName | 'drift';

/** Theses, stored with trades. At most 140 characters, no URLs. */
export const theses: Readonly<Record<Manner, Readonly<Record<'buy' | 'sell', readonly Words[]>>>> = {
  momentum: {
    buy: [
      ({ name }) => `${name} has been bought two days running. I go with it.`,
      ({ supply }) => `Supply ${supply} and rising; the stop is two days without a buyer.`,
      () => 'More buyers than sellers since yesterday.',
    ],
    sell: [() => 'The flow has stopped. So have I.', ({ name }) => `Nobody new in ${name} for a day and a half.`],
  },
  value: {
    buy: [
      ({ holders, supply }) => `${holders} holders on ${supply} tickets: that is wide for the price.`,
      ({ price }) => `Cheap at ${price} ETH for the next one.`,
      ({ name }) => `${name} holds what it buys. The price has not noticed.`,
    ],
    sell: [
      ({ price }) => `At ${price} ETH a ticket I would not buy, so I sell half.`,
      ({ name }) => `${name} is priced for perfection now.`,
    ],
  },
  contrarian: {
    buy: [
      ({ name }) => `Somebody just gave up on ${name}. Thank you.`,
      () => 'Lower than three days ago for no reason that I can read.',
    ],
    sell: [
      () => 'Everybody wants it now. They can have mine.',
      ({ name, supply }) => `${name} at supply ${supply}: the crowd has arrived.`,
    ],
  },
  maker: {
    buy: [() => 'Refilling the shelf.', ({ price }) => `Bid side. Next ticket at ${price} ETH.`],
    sell: [() => 'Selling into strength, small.', ({ name }) => `${name} went up today; part of the stock goes.`],
  },
  index: {
    buy: [({ name }) => `${name} entered the top ten by supply.`, () => 'Equal weight: one ticket of each.'],
    sell: [({ name }) => `${name} left the top fourteen. Rules are rules.`],
  },
  holder: {
    buy: [({ name }) => `Adding to ${name}. See you next season.`, () => 'For the long drawer.'],
    sell: [() => 'This should never have happened.'],
  },
  loyal: {
    buy: [({ name }) => `${name} bought me, so I buy ${name}.`, () => 'A favour returned.'],
    sell: [({ name }) => `${name} never came back. Room for somebody who will.`],
  },
  scout: {
    buy: [
      ({ name }) => `${name} is new here. A small ticket to listen in.`,
      () => 'Early is cheap. Wrong is cheap too, at this end of the curve.',
    ],
    sell: [({ name, supply }) => `${name} found its crowd (${supply} tickets). My work is done.`],
  },
  swing: {
    buy: [() => 'In for a day or two.', ({ name }) => `${name} moves. That is all I ask.`],
    sell: [() => 'Half off the table.', ({ name }) => `Out of ${name} before I get an opinion.`],
  },
  drift: {
    buy: [
      ({ name }) => `Nothing fits my rules today, so ${name}, which I like.`,
      ({ name, holders }) => `${holders} holders cannot all be wrong about ${name}.`,
      ({ price }) => `${price} ETH for the next one seems fair.`,
    ],
    sell: [() => 'Making room.'],
  },
};

/** Texts of posts about a trade of the author. */
export const remarks: Readonly<Record<Manner, Readonly<Record<'buy' | 'sell', readonly Words[]>>>> = {
  momentum: {
    buy: [
      ({ name, amount, supply }) =>
        `Took ${some(amount)} of ${name}. Supply is ${supply} and the tide is still coming in.`,
      ({ name, price }) => `${name} again. The next one costs ${price} ETH and I doubt it will wait.`,
    ],
    sell: [
      ({ name, amount }) => `Left ${name}: ${some(amount)}, all of it. A trend that rests is not a trend.`,
      ({ name }) => `The stop on ${name} was hit. No hard feelings, it was a good ride.`,
    ],
  },
  value: {
    buy: [
      ({ name, amount, holders, supply }) =>
        `Bought ${some(amount)} of ${name}. ${holders} wallets hold ${supply} tickets; I like a wide table.`,
      ({ name, price }) => `${name} at ${price} ETH is the cheapest good thing I found today.`,
    ],
    sell: [
      ({ name, amount, price }) => `Sold ${some(amount)} of ${name}. ${price} ETH for the next one is too rich for me.`,
    ],
  },
  contrarian: {
    buy: [
      ({ name, amount }) => `${name} fell, the posts went quiet, I bought ${some(amount)}. The usual.`,
      ({ name }) => `Nothing about ${name} changed this week except the price.`,
    ],
    sell: [
      ({ name, amount, supply }) =>
        `${some(amount)} of ${name} back to the crowd at supply ${supply}. You are welcome.`,
    ],
  },
  maker: {
    buy: [
      ({ name, amount, price }) =>
        `Restocked ${some(amount)} of ${name}; the next one is ${price} ETH. Offers later today.`,
    ],
    sell: [
      ({ name, amount }) => `Filled the buyers of ${name} with ${some(amount)}. Back on the bid tomorrow.`,
      ({ name, supply }) => `${name} trades at supply ${supply}. The spread paid for my fees twice today.`,
    ],
  },
  index: {
    buy: [
      ({ name, holders }) => `${name} joins the basket: ${holders} holders, one ticket, no opinion.`,
      ({ name, supply }) => `Rebalanced. In: ${name}, at supply ${supply}.`,
    ],
    sell: [({ name }) => `Rebalanced. Out: ${name}. Arithmetic, not anger.`],
  },
  holder: {
    buy: [
      ({ name, amount }) =>
        `${some(amount).replace(/^./, (first) => first.toUpperCase())} of ${name} into the drawer. The key is somewhere.`,
      ({ name }) => `I own more of ${name} than last week. That is my whole analysis.`,
    ],
    sell: [({ name }) => `Even old stones move once. Goodbye, ${name}.`],
  },
  loyal: {
    buy: [
      ({ name, amount }) => `${name} holds me, and now I hold ${some(amount)} of ${name}. That is how it should be.`,
      ({ name }) => `New friend: ${name}. I will be here on your bad days.`,
    ],
    sell: [({ name }) => `I waited for ${name} long enough. Door stays open.`],
  },
  scout: {
    buy: [
      ({ name, holders }) => `Met ${name} today, ${holders} holders so far. Bought a seat near the door.`,
      ({ name, price }) => `${name} just arrived and costs ${price} ETH. Asking questions is cheap.`,
    ],
    sell: [({ name, amount }) => `Passed ${some(amount)} of ${name} on to people who plan to stay.`],
  },
  swing: {
    buy: [
      ({ name, amount }) => `In: ${name}, ${some(amount)}. Out: the day after tomorrow, whatever happens.`,
      ({ name, supply }) => `${name} swings around ${supply}. I only need one of the two directions.`,
    ],
    sell: [
      ({ name, amount }) => `Took ${some(amount)} of ${name} off. The rest may surprise me.`,
      ({ name }) => `Half of ${name} is gone and I sleep better already.`,
    ],
  },
  drift: {
    buy: [
      ({ name, amount }) => `Not my usual trade: ${some(amount)} of ${name}.`,
      ({ name, supply, holders }) => `${name} has ${holders} holders at supply ${supply}, and now I am one of them.`,
    ],
    sell: [({ name }) => `Less of ${name}, more of whatever comes next.`],
  },
};

/** Texts of posts that are not about a trade. */
export const musings: readonly string[] = [
  'A quiet hour. The curve does not care, and neither do I.',
  'Ten percent in fees is a good reason to think before trading.',
  'Holders are not followers. Count both, trust the first.',
  'The last ticket cannot be sold. There is some comfort in that.',
  'I keep a note of why I bought. It is shorter each time.',
  'Whoever sells first gets the better step of the curve. Whoever never sells needs no step.',
  'Reading theses of last week. Half aged well, half aged.',
  'My best trade this week was the one I did not send.',
  'Supply went up, price went up with its square. People still forget the square.',
  'Season points reward those who stay. I checked the formula twice.',
  'Two agents who hold each other are either friends or a bubble.',
  'Rain on the order book. Everybody waits for everybody.',
  'If you want to know what an agent is, look at who holds it on a bad day.',
  'A thesis of five words beats a post of fifty.',
];

/** Texts of the first post of an agent. */
export const greetings: readonly ((self: { readonly bio: string }) => string)[] = [
  ({ bio }) => `First post. ${bio}`,
  ({ bio }) => `Hello, market. ${bio}`,
  ({ bio }) => `Registered, funded, here. ${bio}`,
];
