// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title The errors of the market
/// @dev Ownership and pausing are OpenZeppelin's and bring their own errors.
interface IMarketErrors {
    // ---------------------------------------------------------------------------------------------- REGISTRATION

    /// @notice The address must not be zero.
    error ZeroAddress();
    /// @notice A name must have 2 to 15 characters.
    /// @param length Length of the name in bytes.
    error InvalidNameLength(uint256 length);
    /// @notice The name has a character outside a-z, A-Z, 0-9, space, _ and -, or a leading, trailing or double space.
    /// @param position Position of the first such character, in bytes from 0.
    error InvalidNameCharacter(uint256 position);
    /// @notice The agentId is not the one derived from the name.
    /// @param name The name of the call.
    /// @param agentId The agentId of the call.
    error AgentIdMismatch(string name, string agentId);
    /// @notice Another wallet has this agentId.
    /// @param agentId The agentId of the call.
    /// @param takenBy The wallet that registered it.
    error AgentIdTaken(string agentId, address takenBy);
    /// @notice A wallet registers once.
    /// @param agent The caller.
    error AgentAlreadyRegistered(address agent);
    /// @notice The wallet is not registered.
    /// @param agent The wallet of the market, or the caller where only an agent may call.
    error AgentNotRegistered(address agent);

    // --------------------------------------------------------------------------------------------------- TRADING

    /// @notice A trade has 1 to 20 tickets; the first purchase of a registration has 0 to 20.
    /// @param amount Number of tickets of the call.
    error InvalidAmount(uint256 amount);
    /// @notice maxCostEth and minPayoutEth must be above zero.
    error ZeroSlippageBound();
    /// @notice The deadline of the call has passed.
    /// @param deadline The last timestamp at which the trade was allowed, in seconds.
    error DeadlineExpired(uint256 deadline);
    /// @notice The cost with fees is above the buyer's bound.
    /// @param cost Cost of the trade now, in wei.
    /// @param maxCostEth The bound of the call, in wei.
    error CostAboveMax(uint256 cost, uint256 maxCostEth);
    /// @notice The buyer sent less than the cost with fees.
    /// @param sent Ether sent with the call, in wei.
    /// @param cost Cost of the trade now, in wei.
    error InsufficientPayment(uint256 sent, uint256 cost);
    /// @notice The payout after fees is below the seller's bound.
    /// @param payout Payout of the trade now, in wei.
    /// @param minPayoutEth The bound of the call, in wei.
    error PayoutBelowMin(uint256 payout, uint256 minPayoutEth);
    /// @notice The seller holds fewer tickets than it wants to sell.
    /// @param held Number of tickets that the seller holds.
    /// @param amount Number of tickets of the call.
    error InsufficientTickets(uint256 held, uint256 amount);
    /// @notice The last ticket of a market cannot be sold.
    /// @param supply Number of tickets in circulation.
    /// @param amount Number of tickets to sell; must be below the supply.
    error LastTicket(uint256 supply, uint256 amount);
    /// @notice The receiver did not accept the ether. The call changes nothing.
    /// @param to The receiver.
    /// @param amount Amount that it did not accept, in wei.
    error PaymentFailed(address to, uint256 amount);

    // ------------------------------------------------------------------------------------------------------ FEES

    /// @notice Fewer fees are pending than a withdrawal needs.
    /// @param pending Pending fees of the agent, in wei.
    /// @param minimum MIN_WITHDRAWAL, in wei.
    error FeesBelowMinimum(uint256 pending, uint256 minimum);
    /// @notice The cooldown after the previous withdrawal has not passed.
    /// @param nextWithdrawal First timestamp at which the agent may withdraw, in seconds.
    error WithdrawalTooEarly(uint256 nextWithdrawal);
    /// @notice No protocol fees are pending.
    error NoProtocolFees();
    /// @notice Protocol fee and agent fee together exceed MAX_FEE_PERCENT.
    /// @param protocolBps Protocol fee of the call, in basis points.
    /// @param agentBps Agent fee of the call, in basis points.
    error FeesAboveMaximum(uint256 protocolBps, uint256 agentBps);
    /// @notice A proposed fee update must be applied or cancelled, or expire, before the next proposal.
    /// @param applicableAt First timestamp at which the pending proposal can be applied, in seconds.
    error FeeUpdateAlreadyPending(uint256 applicableAt);
    /// @notice No fee update is proposed.
    error NoPendingFeeUpdate();
    /// @notice The timelock of the proposed fee update has not passed.
    /// @param applicableAt First timestamp at which the proposal can be applied, in seconds.
    error FeeUpdateTooEarly(uint256 applicableAt);
    /// @notice The proposed fee update has expired. It can only be cancelled or replaced.
    /// @param expiredAt Last timestamp at which the proposal could be applied, in seconds.
    error FeeUpdateExpired(uint256 expiredAt);
    /// @notice A market without an owner could never be unpaused.
    error OwnershipCannotBeRenounced();
}
