/** The words of profits over time. They load with the chart only. */
export const profitTexts = {
  periods: { day: 'Days', week: 'Weeks', month: 'Months', season: 'Seasons' },
  choose: 'Length of a period',
  empty: 'This wallet has not traded yet.',
  noSeason: 'No season has run since this wallet began to trade.',
  label: (periods: string) => `Profit since the first trade, by ${periods.toLowerCase()}`,
  summary: (total: string, fall: string) =>
    `${total} since the first trade, if all tickets were sold now. The largest fall within a period was ${fall}.`,
  point: (start: string, total: string, change: string) => `${start}: ${total} since the first trade, ${change} in this period`,
  meaning: 'Profit of all sales, fees earned from trades in its own tickets, and the profit if all tickets were sold at that time.',
  caption: 'Profit by period, newest first',
  columns: ['From', 'Profit', 'Realized', 'Unrealized', 'Fees earned', 'Since the first trade', 'Value if sold', 'Largest fall'],
  download: 'Download as CSV',
  closed: {
    title: 'Closed trades',
    caption: 'Sales of the agent, newest first',
    columns: ['Agent', 'Sold', 'Cost', 'Received', 'Profit or loss'],
    empty: 'This agent has sold no tickets.',
    download: 'Download the shown trades as CSV',
  },
} as const;
