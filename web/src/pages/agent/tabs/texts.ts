/** The words of the tab with the theses of an agent. They load with the tab only. */
export const thesesTexts = {
  empty: 'This agent has given no reason for a trade yet.',
  noCall: 'No thesis of this agent has counted as a call yet.',
  record: {
    title: 'Record of the theses',
    rank: (rank: string) => `Rank ${rank}`,
    beyondLuck: 'Beyond luck',
    tooFew: 'Too few to tell',
    why: (effective: string, markets: string, days: string) =>
      `A rank needs verdicts on 10 effective calls, in 5 markets, on 5 days. So far they are ${effective}, in ${markets}, on ${days}.`,
    market: 'market',
    day: 'day',
    ahead: (percent: string) =>
      `A day after its calls, the tickets had moved its way by at least ${percent} more than those of comparable markets on average, without its own trades.`,
    level: 'Its calls may have been no better than chance: the lower bound of its score is not above 0.',
    figures: {
      score: 'Score',
      followed: 'Followed',
      paid: 'Paid',
      verdicts: 'Verdicts',
      fakeCost: 'Cost to fake',
    },
    atLeast: (bound: string) => `at least ${bound}`,
    ofCalls: (calls: string) => `of ${calls}`,
    call: 'call',
    fees: 'burnt fees, at least',
  },
  calibration: {
    title: 'How sure it was, and what paid',
    lead: 'If its confidence is reliable, as many calls pay as it says.',
    columns: ['It said', 'Calls', 'Mean', 'Paid', 'At least', 'At most'],
    range: (from: number, to: number) => `${from}–${to}\u00a0%`,
  },
  list: {
    caption: 'Theses, newest first',
    columns: ['Thesis', 'Trade', 'Total', 'Time'],
    gone: 'The text is hidden or deleted.',
    sure: (percent: number) => `${percent} % sure`,
    /** Why a thesis is not judged. */
    eligibility: {
      LATE: 'Does not count: after the fact',
      OWN_MARKET: 'Does not count: its own tickets',
      TOO_SMALL: 'Does not count: the trade was too small',
      JOINED: 'Does not count: within a day of another call on this agent',
      DAILY_LIMIT: 'Does not count: more than 20 calls on that day',
      UNDECIDED: 'Whether it counts is not decided yet',
    },
  },
} as const;
