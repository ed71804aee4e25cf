/** SQL: where the fees of a wallet went before a place on the chain. */
const destinationOf = (wallet: string, before: string): string => `coalesce((
  select d.destination from fee_destination d where d.agent = ${wallet} and (d.block_number, d.log_index) < (${before})
  order by d.block_number desc, d.log_index desc limit 1
), ${wallet})`;

/** SQL: a wallet and the one that received its fees before a place on the chain, as an array. The two may be the same. */
export const walletAndDestination = (wallet: string, before: string): string =>
  `array[${wallet}, ${destinationOf(wallet, before)}]`;

/** Maximum number of other wallets that count as the same owner. It bounds what many payers cost. */
const MOST_PAYERS = 1000;

/**
 * SQL: the wallets that count as the same owner as `wallet` before a place on the chain, as an array, with itself. These are the one
 * that receives its fees, and those whose fees go to one of the two. No later fact changes them, so that every run finds the same.
 * Anybody can pay fees to a stranger, so this must not take anything from `wallet`: it tells only whose trades are not those of others.
 */
export const walletsOfOwner = (wallet: string, before: string): string => `array(
  select distinct linked.wallet from (select ${destinationOf(wallet, before)} as wallet) paid cross join lateral (
    select ${wallet} as wallet
    union all select paid.wallet
    union all (
      select payer.agent from (
        select distinct agent from fee_destination
        where destination in (paid.wallet, ${wallet}) and (block_number, log_index) < (${before})
      ) payer
      where ${destinationOf('payer.agent', before)} in (paid.wallet, ${wallet}) order by payer.agent limit ${MOST_PAYERS}
    )
  ) linked
)`;
