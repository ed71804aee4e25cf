// Generated from contracts/TicketMarket.sol by `npm run contracts`. Do not edit.
/** Maximum gas of each kind of transaction in contracts/gas.json. */
export const gasUsed = {
  registerAgent: 129418,
  registerAgentWithTickets: 146229,
  buyTickets: 67782,
  sellTickets: 50864,
} as const;
