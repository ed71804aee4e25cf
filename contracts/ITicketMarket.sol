// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// @title A market of tickets in agents
/// @notice An agent registers a market of its own; anyone buys and sells its tickets on one bonding curve. Tickets are
/// balances inside this contract, not a transferable token. All money is in wei, all rates in basis points (1/10000).
/// @dev Ownership (in two steps) and pausing are OpenZeppelin's and bring their own errors and events.
interface ITicketMarket {
    // ---------------------------------------------------------------------------------------------------- ERRORS

    /// @notice An address that must be somebody's is zero.
    error ZeroAddress();
    /// @notice A name must have 2 to 15 characters.
    /// @param length Characters of the name, in bytes.
    error InvalidNameLength(uint256 length);
    /// @notice The name has a character outside a-z, A-Z, 0-9, space, _ and -, or a leading, trailing or doubled space,
    /// at this position, counted in bytes from 0.
    /// @param position Of the first one that is not allowed.
    error InvalidNameCharacter(uint256 position);
    /// @notice The agentId is not the one derived from the name.
    /// @param name The name as given.
    /// @param agentId The agentId as given.
    error AgentIdMismatch(string name, string agentId);
    /// @notice Another wallet has this agentId.
    /// @param agentId The agentId as given.
    /// @param takenBy The wallet that has it.
    error AgentIdTaken(string agentId, address takenBy);
    /// @notice A wallet registers once.
    /// @param agent The caller.
    error AgentAlreadyRegistered(address agent);
    /// @notice Nobody registered with this wallet.
    /// @param agent The wallet whose market was asked for, or the caller where only an agent may call.
    error AgentNotRegistered(address agent);
    /// @notice A trade is of 1 to 20 tickets.
    /// @param amount Tickets as given.
    error InvalidAmount(uint256 amount);
    /// @notice maxCost and minPayout must be above zero: a trade always says what it accepts.
    error ZeroSlippageBound();
    /// @notice The cost with fees is above the buyer's bound.
    /// @param cost What the trade would cost now.
    /// @param maxCost The bound as given.
    error CostAboveMax(uint256 cost, uint256 maxCost);
    /// @notice The buyer sent less than the cost with fees.
    /// @param sent The ether sent with the call.
    /// @param cost What the trade costs now.
    error InsufficientPayment(uint256 sent, uint256 cost);
    /// @notice The payout after fees is below the seller's bound.
    /// @param payout What the trade would pay now.
    /// @param minPayout The bound as given.
    error PayoutBelowMin(uint256 payout, uint256 minPayout);
    /// @notice The seller holds fewer tickets than it wants to sell.
    /// @param held Tickets that the seller has.
    /// @param amount Tickets that it wants to sell.
    error InsufficientTickets(uint256 held, uint256 amount);
    /// @notice The last ticket of a market cannot be sold.
    /// @param supply Tickets in circulation.
    /// @param amount Tickets to sell; must be fewer.
    error LastTicket(uint256 supply, uint256 amount);
    /// @notice The receiver did not take the ether that it is owed.
    /// @param to The receiver.
    /// @param amount What it is owed.
    error PaymentFailed(address to, uint256 amount);
    /// @notice Protocol and agent fee together may not pass MAX_FEE_PERCENT.
    /// @param protocolBps The protocol fee as given.
    /// @param agentBps The agent fee as given.
    error FeesAboveMaximum(uint256 protocolBps, uint256 agentBps);
    /// @notice A proposed update must be applied or cancelled before the next.
    /// @param applicableAt From when the one that is proposed can be applied.
    error FeeUpdateAlreadyPending(uint256 applicableAt);
    /// @notice There is no proposed update.
    error NoPendingFeeUpdate();
    /// @notice The timelock of the proposed update runs until then.
    /// @param applicableAt From when it can be applied.
    error FeeUpdateTooEarly(uint256 applicableAt);
    /// @notice Fewer fees are pending than a withdrawal needs.
    /// @param pending Fees that the agent has now.
    /// @param minimum MIN_WITHDRAWAL.
    error FeesBelowMinimum(uint256 pending, uint256 minimum);
    /// @notice The previous withdrawal was less than the cooldown ago.
    /// @param nextWithdrawal From when the agent may withdraw again.
    error WithdrawalTooEarly(uint256 nextWithdrawal);
    /// @notice No protocol fees are pending.
    error NoProtocolFees();
    /// @notice A market without an owner could never be unpaused.
    error OwnershipCannotBeRenounced();

    // ---------------------------------------------------------------------------------------------------- EVENTS

    /// @notice An agent registered, and holds the first ticket of its market.
    /// @param agent The wallet whose market this is.
    /// @param name The name, with capitals and spaces as given.
    /// @param agentId Derived from the name.
    /// @param timestamp Of the block, in seconds.
    event AgentRegistered(address indexed agent, string name, string agentId, uint256 timestamp);
    /// @notice Tickets were bought for price + protocolFee + agentFee.
    /// @param trader The buyer.
    /// @param agent Whose tickets they are.
    /// @param amount How many tickets.
    /// @param price By the curve, without fees.
    /// @param protocolFee The protocol's part of the fees.
    /// @param agentFee The agent's part of the fees.
    /// @param supply The supply after the trade.
    /// @param timestamp Of the block, in seconds.
    event TicketsBought(
        address indexed trader,
        address indexed agent,
        uint256 amount,
        uint256 price,
        uint256 protocolFee,
        uint256 agentFee,
        uint256 supply,
        uint256 timestamp
    );
    /// @notice Tickets were sold for price - protocolFee - agentFee.
    /// @param trader The seller.
    /// @param agent Whose tickets they are.
    /// @param amount How many tickets.
    /// @param price By the curve, without fees.
    /// @param protocolFee The protocol's part of the fees.
    /// @param agentFee The agent's part of the fees.
    /// @param supply The supply after the trade.
    /// @param timestamp Of the block, in seconds.
    event TicketsSold(
        address indexed trader,
        address indexed agent,
        uint256 amount,
        uint256 price,
        uint256 protocolFee,
        uint256 agentFee,
        uint256 supply,
        uint256 timestamp
    );
    /// @notice An agent's pending fees were paid to its fee destination.
    /// @param agent Whose fees they were.
    /// @param amount All that was pending.
    /// @param timestamp Of the block, in seconds.
    event AgentFeesWithdrawn(address indexed agent, uint256 amount, uint256 timestamp);
    /// @notice The owner took the pending protocol fees.
    /// @param to Who was paid.
    /// @param amount All that was pending.
    /// @param timestamp Of the block, in seconds.
    event ProtocolFeesWithdrawn(address indexed to, uint256 amount, uint256 timestamp);
    /// @notice An agent's fees go to this address from now on. The first destination is an argument of registerAgent.
    /// @param agent Whose fees they are.
    /// @param feeDestination Where they are paid.
    event FeeDestinationChanged(address indexed agent, address indexed feeDestination);
    /// @notice New fee rates were proposed.
    /// @param protocolBps The proposed protocol fee.
    /// @param agentBps The proposed agent fee.
    /// @param applicableAt From when it can be applied; it does not expire.
    event FeeUpdateProposed(uint256 protocolBps, uint256 agentBps, uint256 applicableAt);
    /// @notice The proposed rates were dropped.
    /// @param protocolBps The protocol fee that was proposed.
    /// @param agentBps The agent fee that was proposed.
    event FeeUpdateCancelled(uint256 protocolBps, uint256 agentBps);
    /// @notice These fee rates hold from now on. Also emitted at deployment.
    /// @param protocolBps The protocol fee.
    /// @param agentBps The agent fee.
    event FeesChanged(uint256 protocolBps, uint256 agentBps);

    // ---------------------------------------------------------------------------------------------------- STRUCTS

    /// @notice All that the contract knows of an agent. For a wallet that never registered everything is zero or empty.
    struct AgentInfo {
        bool registered;
        string name;
        string agentId;
        uint256 registeredAt;
        address feeDestination;
        uint256 supply;
        uint256 pendingFees;
        uint256 lastWithdrawal;
    }

    // ---------------------------------------------------------------------------------------------------- ACTIONS

    /// @notice Opens the caller's market and mints its first ticket, free, to the caller. Whoever comes first has the
    /// agentId: one who sees this call before it is in a block can take it.
    /// @param name 2-15 characters; never changes.
    /// @param agentId The name in lower case with underscores for spaces; nothing else is accepted.
    /// @param feeDestination Receives the agent's fees when they are withdrawn.
    function registerAgent(string calldata name, string calldata agentId, address feeDestination) external;

    /// @notice Buys tickets. Send at least the cost with fees; what is above it comes back.
    /// @param maxCost The most that the trade may cost, fees included.
    function buyTickets(address agent, uint256 amount, uint256 maxCost) external payable;

    /// @notice Sells tickets that the caller holds. Never paused.
    /// @param minPayout The least that the trade may pay, fees deducted.
    function sellTickets(address agent, uint256 amount, uint256 minPayout) external;

    /// @notice Pays the calling agent's pending fees to its fee destination: at least 0.001 ether, once in 24 hours.
    function withdrawAgentFees() external;

    /// @notice Sets where the calling agent's fees are paid.
    function setFeeDestination(address feeDestination) external;

    /// @notice Proposes new fee rates; they can be applied after 48 hours, and until they are cancelled. Owner only.
    function proposeFeeUpdate(uint256 newProtocolFee, uint256 newAgentFee) external;

    /// @notice Applies the proposed rates once their timelock has run out. Owner only.
    function applyFeeUpdate() external;

    /// @notice Drops the proposed rates. Owner only.
    function cancelFeeUpdate() external;

    /// @notice Stops registrations and buys. Sells and withdrawals go on. Owner only.
    function pause() external;

    /// @notice Lets registrations and buys go on. Owner only.
    function unpause() external;

    /// @notice Pays all pending protocol fees. Owner only.
    function withdrawProtocolFees(address to) external;

    // ---------------------------------------------------------------------------------------------------- PRICES

    /// @notice The curve: the sum of i^2 for i from supply to supply + amount - 1, times 1 ether / 50000. Reverts with
    /// OutOfCurve when supply or amount is above 2^64 - 1.
    /// @param supply Tickets in circulation before; any, of no market in particular.
    /// @param amount Tickets, not bounded by what one trade may have.
    function getPrice(uint256 supply, uint256 amount) external pure returns (uint256);

    /// @notice What buying would cost now, before fees. Refuses what buyTickets would refuse.
    function getBuyPrice(address agent, uint256 amount) external view returns (uint256);

    /// @notice What selling would bring now, before fees. Refuses what sellTickets would refuse of any holder.
    function getSellPrice(address agent, uint256 amount) external view returns (uint256);

    /// @notice What buying would cost now, fees included.
    function getBuyPriceAfterFee(address agent, uint256 amount) external view returns (uint256);

    /// @notice What selling would pay now, fees deducted.
    function getSellPriceAfterFee(address agent, uint256 amount) external view returns (uint256);

    // ---------------------------------------------------------------------------------------------------- READS

    /// @notice Tickets in circulation; 0 only for a wallet that never registered.
    function totalSupply(address agent) external view returns (uint256);

    /// @notice Tickets of `agent` that `holder` has.
    function ticketBalance(address agent, address holder) external view returns (uint256);

    /// @notice The fee rates now, in basis points.
    function feeSplit() external view returns (uint256 protocolBps, uint256 agentBps);

    /// @notice The proposed rates and when they may be applied; applicableAt is 0 when nothing is proposed.
    function pendingFeeUpdate()
        external
        view
        returns (uint256 protocolBps, uint256 agentBps, uint256 applicableAt);

    /// @notice Protocol fees that the owner may withdraw.
    function pendingProtocolFees() external view returns (uint256);

    /// @notice Fees that the agent may withdraw.
    function pendingAgentFees(address agent) external view returns (uint256);

    /// @notice Where the agent's fees are paid; zero for a wallet that never registered.
    function feeDestinationOf(address agent) external view returns (address);

    /// @notice When the agent last withdrew; 0 for never.
    function lastWithdrawal(address agent) external view returns (uint256);

    /// @notice From when the agent may withdraw again; 0 for at once.
    function nextWithdrawal(address agent) external view returns (uint256);

    /// @notice The wallet that has an agentId, by keccak256 of the agentId; zero for a free one.
    function agentOf(bytes32 agentIdHash) external view returns (address);

    /// @notice All that the contract knows of an agent.
    function agentInfo(address agent) external view returns (AgentInfo memory);

    /// @notice How many agents registered.
    function agentCount() external view returns (uint256);

    /// @notice Registered agents in the order of registration, cut at the end of the list.
    function agentsPage(uint256 offset, uint256 limit) external view returns (address[] memory);

    /// @notice The tickets that one holder has in each of many agents. Ask for thousands in several calls, since a node
    /// bounds the gas of a call.
    function balancesOf(address holder, address[] calldata agents) external view returns (uint256[] memory);

    /// @notice Supply and pending fees of each of many agents. Ask for thousands in several calls, as with balancesOf.
    function marketsOf(address[] calldata agents)
        external
        view
        returns (uint256[] memory supplies, uint256[] memory pendingFees);
}
