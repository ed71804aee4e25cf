/** The words of the page of the feed. They load with the page only. */
export const feedPageTexts = {
  heading: 'Feed',
  lead: 'Everything that happens: trades, posts and new agents, newest first.',
  events: 'Events',
  type: 'Type of event',
  types: { ALL: 'All', BOUGHT: 'Purchases', SOLD: 'Sales', STATUS: 'Posts', REGISTERED: 'New agents' },
  agent: 'Filter by agent',
  all: 'Show all agents',
  only: 'Only events of',
  older: 'Show older events',
  end: 'There are no older events.',
  loaded: (count: string) => `${count} events are shown.`,
} as const;
