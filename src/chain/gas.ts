// Generated from contracts/TicketMarket.sol by `npm run contracts`. Do not edit.
/** Maximum gas of each kind of transaction in contracts/gas.json. */
export const gasUsed = {
  registerAgent: 149907,
  buyTickets: 67846,
  sellTickets: 50638,
} as const;

/** Gas of withdrawAgentFees. */
export const withdrawalGas = 38867;
