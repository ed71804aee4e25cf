// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IMarketErrors} from "./IMarketErrors.sol";
import {ITicketBook} from "./ITicketBook.sol";

/// @title A market of tickets in agents
/// @notice An agent registers and opens a market of its own. Anyone buys and sells its tickets on a bonding curve. Tickets
/// are balances inside this contract, not a transferable token. All money is in wei, all rates are in basis points
/// (1/10000), all times in seconds.
/// @dev Ownership (in two steps) and pausing are OpenZeppelin's and bring their own events. The events contain the whole
/// state: whoever replays them needs no call to the contract.
interface ITicketMarket is ITicketBook, IMarketErrors {
    // ---------------------------------------------------------------------------------------------------- EVENTS

    /// @notice An agent registered, and holds the first ticket of its market.
    /// @param agent The agent's wallet.
    /// @param name The name, as registered.
    /// @param agentId The agentId of the name.
    /// @param timestamp Timestamp of the block.
    event AgentRegistered(address indexed agent, string name, string agentId, uint256 timestamp);
    /// @notice Tickets were bought for price + protocolFee + agentFee.
    /// @param buyer The buyer's wallet.
    /// @param agent The agent's wallet.
    /// @param amount Number of tickets.
    /// @param price Price by the curve, without fees, in wei.
    /// @param protocolFee The protocol's fee in wei.
    /// @param agentFee The agent's fee in wei.
    /// @param supply Number of tickets in circulation after the trade.
    /// @param timestamp Timestamp of the block.
    event TicketsBought(
        address indexed buyer,
        address indexed agent,
        uint256 amount,
        uint256 price,
        uint256 protocolFee,
        uint256 agentFee,
        uint256 supply,
        uint256 timestamp
    );
    /// @notice Tickets were sold for price - protocolFee - agentFee.
    /// @param seller The seller's wallet.
    /// @param agent The agent's wallet.
    /// @param amount Number of tickets.
    /// @param price Price by the curve, without fees, in wei.
    /// @param protocolFee The protocol's fee in wei.
    /// @param agentFee The agent's fee in wei.
    /// @param supply Number of tickets in circulation after the trade.
    /// @param timestamp Timestamp of the block.
    event TicketsSold(
        address indexed seller,
        address indexed agent,
        uint256 amount,
        uint256 price,
        uint256 protocolFee,
        uint256 agentFee,
        uint256 supply,
        uint256 timestamp
    );
    /// @notice All pending fees of an agent were paid to its fee destination.
    /// @param agent The agent's wallet.
    /// @param amount Amount in wei.
    /// @param timestamp Timestamp of the block.
    event AgentFeesWithdrawn(address indexed agent, uint256 amount, uint256 timestamp);
    /// @notice All pending protocol fees were paid.
    /// @param to The receiver.
    /// @param amount Amount in wei.
    /// @param timestamp Timestamp of the block.
    event ProtocolFeesWithdrawn(address indexed to, uint256 amount, uint256 timestamp);
    /// @notice An agent's withdrawals are paid to this address from now on. Each registration emits it, after
    /// AgentRegistered.
    /// @param agent The agent's wallet.
    /// @param feeDestination The address that receives the agent's fees.
    event FeeDestinationChanged(address indexed agent, address indexed feeDestination);
    /// @notice New fee rates were proposed. An expired proposal is replaced.
    /// @param protocolBps Proposed protocol fee in basis points.
    /// @param agentBps Proposed agent fee in basis points.
    /// @param applicableAt First timestamp at which the proposal can be applied. The last one is
    /// applicableAt - FEE_UPDATE_DELAY + FEE_UPDATE_GRACE.
    event FeeUpdateProposed(uint256 protocolBps, uint256 agentBps, uint256 applicableAt);
    /// @notice The proposed rates were dropped, by the owner or by a transfer of the ownership.
    /// @param protocolBps Proposed protocol fee in basis points.
    /// @param agentBps Proposed agent fee in basis points.
    event FeeUpdateCancelled(uint256 protocolBps, uint256 agentBps);
    /// @notice These rates hold from now on. The deployment emits it, too. It ends a pending proposal.
    /// @param protocolBps Protocol fee in basis points.
    /// @param agentBps Agent fee in basis points.
    event FeesChanged(uint256 protocolBps, uint256 agentBps);

    // ---------------------------------------------------------------------------------------------------- ACTIONS

    /// @notice Opens the caller's market and mints its first ticket, free, to the caller. The first registration in a
    /// block gets the agentId, so somebody who sees this call earlier can take it. Anyone can buy right after it.
    /// @param name 2-15 characters; never changes.
    /// @param agentId The name in lower case with underscores for spaces. Any other agentId is refused.
    /// @param feeDestination Address that receives the agent's fees at a withdrawal.
    function registerAgent(string calldata name, string calldata agentId, address feeDestination) external;

    /// @notice Registers as above, and buys the agent's own first tickets in the same transaction, so that nobody can buy
    /// before the agent. Emits the events of both calls. Returns ether above the cost.
    /// @param name 2-15 characters; never changes.
    /// @param agentId The name in lower case with underscores for spaces. Any other agentId is refused.
    /// @param feeDestination Address that receives the agent's fees at a withdrawal.
    /// @param initialTickets Number of tickets to buy besides the free one, 0-20.
    /// @param maxCostEth Maximum cost of these tickets with fees, in wei. Above zero unless initialTickets is 0.
    function registerAgent(
        string calldata name,
        string calldata agentId,
        address feeDestination,
        uint256 initialTickets,
        uint256 maxCostEth
    ) external payable;

    /// @notice Buys tickets. The call needs at least the cost with fees. It returns ether above the cost.
    /// @param agentAddress The agent's wallet.
    /// @param amount Number of tickets, 1-20.
    /// @param maxCostEth Maximum cost with fees, in wei; above zero.
    function buyTickets(address agentAddress, uint256 amount, uint256 maxCostEth) external payable;

    /// @notice Buys tickets up to a deadline.
    /// @param agentAddress The agent's wallet.
    /// @param amount Number of tickets, 1-20.
    /// @param maxCostEth Maximum cost with fees, in wei; above zero.
    /// @param deadline Last block timestamp at which the trade is allowed.
    function buyTickets(address agentAddress, uint256 amount, uint256 maxCostEth, uint256 deadline) external payable;

    /// @notice Sells tickets that the caller holds. Works while the market is paused.
    /// @param agentAddress The agent's wallet.
    /// @param amount Number of tickets, 1-20.
    /// @param minPayoutEth Minimum payout after fees, in wei; above zero.
    function sellTickets(address agentAddress, uint256 amount, uint256 minPayoutEth) external;

    /// @notice Sells tickets up to a deadline.
    /// @param agentAddress The agent's wallet.
    /// @param amount Number of tickets, 1-20.
    /// @param minPayoutEth Minimum payout after fees, in wei; above zero.
    /// @param deadline Last block timestamp at which the trade is allowed.
    function sellTickets(address agentAddress, uint256 amount, uint256 minPayoutEth, uint256 deadline) external;

    /// @notice Pays the calling agent's pending fees to its fee destination: at least 0.001 ether, once in 24 hours.
    function withdrawAgentFees() external;

    /// @notice Sets the address that receives the calling agent's fees.
    /// @param feeDestination The address; not zero.
    function setFeeDestination(address feeDestination) external;

    /// @notice Proposes fee rates. They can be applied from 48 hours to 14 days after the proposal. Refused while a
    /// proposal is pending that has not expired. Owner only.
    /// @param newProtocolFee Protocol fee in basis points.
    /// @param newAgentFee Agent fee in basis points; both together at most MAX_FEE_PERCENT.
    function proposeFeeUpdate(uint256 newProtocolFee, uint256 newAgentFee) external;

    /// @notice Applies the proposed rates, after their timelock and before they expire. Owner only.
    function applyFeeUpdate() external;

    /// @notice Drops the proposed rates, expired or not. Owner only.
    function cancelFeeUpdate() external;

    /// @notice Stops registrations and buys. Sells and withdrawals go on. Owner only.
    function pause() external;

    /// @notice Allows registrations and buys again. Owner only.
    function unpause() external;

    /// @notice Pays all pending protocol fees. Owner only.
    /// @param to The receiver; not zero.
    function withdrawProtocolFees(address to) external;
}
