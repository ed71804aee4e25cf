// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title The prices of the market and its state
/// @notice All money is in wei, all rates are in basis points (1/10000), all times in seconds.
interface ITicketBook {
    /// @notice State of an agent. Every field of a wallet that never registered is zero or empty.
    /// @param registered Whether the wallet is registered.
    /// @param name The name, as registered.
    /// @param agentId The agentId of the name.
    /// @param registeredAt Timestamp of the registration.
    /// @param feeDestination Address that receives the agent's fees.
    /// @param supply Number of tickets in circulation.
    /// @param pendingFees Fees that the agent can withdraw, in wei.
    /// @param lastWithdrawal Timestamp of the last withdrawal; 0 if there was none.
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

    // ---------------------------------------------------------------------------------------------------- PRICES

    /// @notice The curve: the sum of i^2 for i from supply to supply + amount - 1, times 1 ether / 50000. Reverts with
    /// OutOfCurve if supply or amount is above 2^64 - 1.
    /// @param supply Number of tickets before the trade, of any market.
    /// @param amount Number of tickets, without the limit of a trade.
    /// @return price Price without fees, in wei.
    function getPrice(uint256 supply, uint256 amount) external pure returns (uint256 price);

    /// @notice Price of buying now, without fees. Reverts for an amount or an agent that buyTickets refuses. Answers
    /// while the market is paused.
    /// @param agent The agent's wallet.
    /// @param amount Number of tickets, 1-20.
    /// @return price Price without fees, in wei.
    function getBuyPrice(address agent, uint256 amount) external view returns (uint256 price);

    /// @notice Price of selling now, without fees. Reverts for an amount or an agent that sellTickets refuses.
    /// @param agent The agent's wallet.
    /// @param amount Number of tickets, 1-20, below the supply.
    /// @return price Price without fees, in wei.
    function getSellPrice(address agent, uint256 amount) external view returns (uint256 price);

    /// @notice Cost of buying now, with fees. Answers while the market is paused.
    /// @param agent The agent's wallet.
    /// @param amount Number of tickets, 1-20.
    /// @return cost Price plus both fees, in wei.
    function getBuyPriceAfterFee(address agent, uint256 amount) external view returns (uint256 cost);

    /// @notice Payout of selling now, after fees.
    /// @param agent The agent's wallet.
    /// @param amount Number of tickets, 1-20, below the supply.
    /// @return payout Price less both fees, in wei.
    function getSellPriceAfterFee(address agent, uint256 amount) external view returns (uint256 payout);

    // ---------------------------------------------------------------------------------------------------- READS

    /// @notice Number of tickets in circulation.
    /// @param agent The agent's wallet.
    /// @return supply At least 1 for an agent; 0 for a wallet that never registered.
    function totalSupply(address agent) external view returns (uint256 supply);

    /// @notice Number of tickets of an agent that a wallet holds.
    /// @param agent The agent's wallet.
    /// @param holder The holder's wallet.
    /// @return balance Number of tickets.
    function ticketBalance(address agent, address holder) external view returns (uint256 balance);

    /// @notice The current fee rates.
    /// @return protocolBps Protocol fee in basis points.
    /// @return agentBps Agent fee in basis points.
    function feeSplit() external view returns (uint256 protocolBps, uint256 agentBps);

    /// @notice The proposed fee rates. An expired proposal stays here until it is cancelled or replaced.
    /// @return protocolBps Proposed protocol fee in basis points.
    /// @return agentBps Proposed agent fee in basis points.
    /// @return applicableAt First timestamp at which the proposal can be applied; 0 if nothing is proposed. The last one
    /// is applicableAt - FEE_UPDATE_DELAY + FEE_UPDATE_GRACE.
    function pendingFeeUpdate()
        external
        view
        returns (uint256 protocolBps, uint256 agentBps, uint256 applicableAt);

    /// @notice Protocol fees that the owner can withdraw.
    /// @return amount Amount in wei.
    function pendingProtocolFees() external view returns (uint256 amount);

    /// @notice Fees that an agent can withdraw.
    /// @param agent The agent's wallet.
    /// @return amount Amount in wei; 0 for a wallet that never registered.
    function pendingAgentFees(address agent) external view returns (uint256 amount);

    /// @notice Address that receives an agent's fees.
    /// @param agent The agent's wallet.
    /// @return feeDestination The address; zero for a wallet that never registered.
    function feeDestinationOf(address agent) external view returns (address feeDestination);

    /// @notice Timestamp of an agent's last withdrawal.
    /// @param agent The agent's wallet.
    /// @return timestamp Time in seconds; 0 if there was none.
    function lastWithdrawal(address agent) external view returns (uint256 timestamp);

    /// @notice First timestamp at which an agent can withdraw again.
    /// @param agent The agent's wallet.
    /// @return timestamp Time in seconds; 0 if there was no withdrawal.
    function nextWithdrawal(address agent) external view returns (uint256 timestamp);

    /// @notice The wallet that registered an agentId.
    /// @param agentIdHash keccak256 of the agentId.
    /// @return agent The wallet; zero if the agentId is free.
    function agentOf(bytes32 agentIdHash) external view returns (address agent);

    /// @notice State of an agent.
    /// @param agent The agent's wallet.
    /// @return info Its state; zero or empty fields for a wallet that never registered.
    function agentInfo(address agent) external view returns (AgentInfo memory info);

    /// @notice Number of registered agents. The AgentRegistered events list them.
    /// @return count Number of registrations since the deployment.
    function agentCount() external view returns (uint256 count);

    /// @notice Tickets that one wallet holds in each of many agents. A node limits the gas of a call, so read thousands
    /// of agents in several calls.
    /// @param holder The holder's wallet.
    /// @param agents The agents' wallets.
    /// @return balances Numbers of tickets, in the order of the agents.
    function balancesOf(address holder, address[] calldata agents) external view returns (uint256[] memory balances);

    /// @notice Supply and pending fees of many agents. A node limits the gas of a call, so read thousands of agents in
    /// several calls.
    /// @param agents The agents' wallets.
    /// @return supplies Numbers of tickets, in the order of the agents.
    /// @return pendingFees Pending fees in wei, in the order of the agents.
    function marketsOf(address[] calldata agents)
        external
        view
        returns (uint256[] memory supplies, uint256[] memory pendingFees);
}
