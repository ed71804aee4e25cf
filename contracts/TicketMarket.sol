// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {AgentName} from "./AgentName.sol";
import {ITicketMarket} from "./ITicketMarket.sol";
import {TicketBook} from "./TicketBook.sol";

/// @title A market of tickets in agents
/// @dev Every action checks first, then writes, then pays. It pays one receiver at most: the caller, or an address that
/// the caller chose. So a receiver that fails stops nobody else. Ether comes in by buying alone, unless it is forced in
/// (by selfdestruct, or as a block reward). Forced ether belongs to nobody: no account here counts it.
contract TicketMarket is TicketBook, ReentrancyGuardTransient {
    using SafeCast for uint256;

    /// @notice Deploys a market without agents.
    /// @param initialOwner The owner, who sets the fees, pauses, and receives the protocol fees.
    /// @param protocolBps Protocol fee in basis points.
    /// @param agentBps Agent fee in basis points; both together at most MAX_FEE_PERCENT.
    constructor(address initialOwner, uint256 protocolBps, uint256 agentBps) Ownable(initialOwner) {
        _requireAllowedFees(protocolBps, agentBps);
        _setFees(protocolBps.toUint16(), agentBps.toUint16());
    }

    /// @dev Refuses a call that is mined too late.
    /// @param deadline Last block timestamp at which the call is allowed.
    modifier until(uint256 deadline) {
        if (block.timestamp > deadline) revert DeadlineExpired(deadline);
        _;
    }

    // --------------------------------------------------------------------------------------------------- TRADING

    /// @inheritdoc ITicketMarket
    function registerAgent(string calldata name, string calldata agentId, address feeDestination)
        external
        whenNotPaused
    {
        _register(name, agentId, feeDestination);
    }

    /// @inheritdoc ITicketMarket
    function registerAgent(
        string calldata name,
        string calldata agentId,
        address feeDestination,
        uint256 initialTickets,
        uint256 maxCostEth
    ) external payable nonReentrant whenNotPaused {
        _register(name, agentId, feeDestination);
        if (initialTickets != 0) _buy(msg.sender, initialTickets, maxCostEth);
        else if (msg.value != 0) _pay(msg.sender, msg.value);
    }

    /// @inheritdoc ITicketMarket
    function buyTickets(address agentAddress, uint256 amount, uint256 maxCostEth)
        external
        payable
        nonReentrant
        whenNotPaused
    {
        _buy(agentAddress, amount, maxCostEth);
    }

    /// @inheritdoc ITicketMarket
    function buyTickets(address agentAddress, uint256 amount, uint256 maxCostEth, uint256 deadline)
        external
        payable
        until(deadline)
        nonReentrant
        whenNotPaused
    {
        _buy(agentAddress, amount, maxCostEth);
    }

    /// @inheritdoc ITicketMarket
    function sellTickets(address agentAddress, uint256 amount, uint256 minPayoutEth) external nonReentrant {
        _sell(agentAddress, amount, minPayoutEth);
    }

    /// @inheritdoc ITicketMarket
    function sellTickets(address agentAddress, uint256 amount, uint256 minPayoutEth, uint256 deadline)
        external
        until(deadline)
        nonReentrant
    {
        _sell(agentAddress, amount, minPayoutEth);
    }

    // ------------------------------------------------------------------------------------------------ AGENT FEES

    /// @inheritdoc ITicketMarket
    function withdrawAgentFees() external nonReentrant {
        Market storage market = _markets[msg.sender];
        if (market.supply == 0) revert AgentNotRegistered(msg.sender);
        uint256 amount = market.pendingFeeUnits * FEE_UNIT;
        if (amount < MIN_WITHDRAWAL) revert FeesBelowMinimum(amount, MIN_WITHDRAWAL);
        uint256 next = nextWithdrawal(msg.sender);
        if (block.timestamp < next) revert WithdrawalTooEarly(next);

        market.pendingFeeUnits = 0;
        market.lastWithdrawal = uint40(block.timestamp);
        emit AgentFeesWithdrawn(msg.sender, amount, block.timestamp);

        _pay(feeDestinationOf(msg.sender), amount);
    }

    /// @inheritdoc ITicketMarket
    function setFeeDestination(address feeDestination) external {
        if (_markets[msg.sender].supply == 0) revert AgentNotRegistered(msg.sender);
        if (feeDestination == address(0)) revert ZeroAddress();
        _feeDestinations[msg.sender] = feeDestination == msg.sender ? address(0) : feeDestination;
        emit FeeDestinationChanged(msg.sender, feeDestination);
    }

    // ---------------------------------------------------------------------------------------------------- OWNER

    /// @inheritdoc ITicketMarket
    function proposeFeeUpdate(uint256 newProtocolFee, uint256 newAgentFee) external onlyOwner {
        _requireAllowedFees(newProtocolFee, newAgentFee);
        uint256 pendingFrom = _feeUpdate.applicableAt;
        if (pendingFrom != 0 && block.timestamp <= _expiry(pendingFrom)) revert FeeUpdateAlreadyPending(pendingFrom);
        uint256 applicableAt = block.timestamp + FEE_UPDATE_DELAY;
        _feeUpdate = FeeUpdate(newProtocolFee.toUint16(), newAgentFee.toUint16(), applicableAt.toUint64());
        emit FeeUpdateProposed(newProtocolFee, newAgentFee, applicableAt);
    }

    /// @inheritdoc ITicketMarket
    function applyFeeUpdate() external onlyOwner {
        FeeUpdate memory update = _feeUpdate;
        if (update.applicableAt == 0) revert NoPendingFeeUpdate();
        if (block.timestamp < update.applicableAt) revert FeeUpdateTooEarly(update.applicableAt);
        uint256 expiry = _expiry(update.applicableAt);
        if (block.timestamp > expiry) revert FeeUpdateExpired(expiry);
        delete _feeUpdate;
        _setFees(update.protocolBps, update.agentBps);
    }

    /// @inheritdoc ITicketMarket
    function cancelFeeUpdate() external onlyOwner {
        if (_feeUpdate.applicableAt == 0) revert NoPendingFeeUpdate();
        _dropFeeUpdate();
    }

    /// @inheritdoc ITicketMarket
    function pause() external onlyOwner {
        _pause();
    }

    /// @inheritdoc ITicketMarket
    function unpause() external onlyOwner {
        _unpause();
    }

    /// @inheritdoc ITicketMarket
    function withdrawProtocolFees(address to) external onlyOwner nonReentrant {
        if (to == address(0)) revert ZeroAddress();
        uint256 amount = pendingProtocolFees();
        if (amount == 0) revert NoProtocolFees();
        _protocolFeeUnits = 0;
        emit ProtocolFeesWithdrawn(to, amount, block.timestamp);
        _pay(to, amount);
    }

    /// @notice Always reverts: a market without an owner could never be unpaused.
    function renounceOwnership() public pure override {
        revert OwnershipCannotBeRenounced();
    }

    // -------------------------------------------------------------------------------------------------- INTERNAL

    /// @dev A new owner starts without a proposal: nobody may apply the rates of a previous owner.
    /// @param newOwner The new owner.
    function _transferOwnership(address newOwner) internal override {
        if (_feeUpdate.applicableAt != 0) _dropFeeUpdate();
        super._transferOwnership(newOwner);
    }

    /// @dev Registers the caller.
    /// @param name The name.
    /// @param agentId The agentId.
    /// @param feeDestination Address that receives the agent's fees.
    function _register(string calldata name, string calldata agentId, address feeDestination) private {
        bytes16 packedName = AgentName.pack(name, agentId);
        if (feeDestination == address(0)) revert ZeroAddress();
        if (_markets[msg.sender].supply != 0) revert AgentAlreadyRegistered(msg.sender);
        Registration storage registration = _registrations[keccak256(bytes(agentId))];
        if (registration.agent != address(0)) revert AgentIdTaken(agentId, registration.agent);

        registration.agent = msg.sender;
        registration.registeredAt = uint64(block.timestamp);
        _markets[msg.sender] = Market({supply: 1, pendingFeeUnits: 0, lastWithdrawal: 0, name: packedName});
        _balances[msg.sender][msg.sender] = 1;
        ++_agentCounter;
        if (feeDestination != msg.sender) _feeDestinations[msg.sender] = feeDestination;
        emit AgentRegistered(msg.sender, name, agentId, block.timestamp);
        emit FeeDestinationChanged(msg.sender, feeDestination);
    }

    /// @dev Buys tickets for the caller, and returns ether above the cost.
    /// @param agent The agent's wallet.
    /// @param amount Number of tickets.
    /// @param maxCost Maximum cost with fees, in wei.
    function _buy(address agent, uint256 amount, uint256 maxCost) private {
        if (maxCost == 0) revert ZeroSlippageBound();
        (Market storage market, uint256 supply) = _marketFor(agent, amount);
        (uint256 price, uint256 protocolFee, uint256 agentFee) = _quote(supply, amount);
        uint256 cost = _cost(price, protocolFee, agentFee);
        if (cost > maxCost) revert CostAboveMax(cost, maxCost);
        if (cost > msg.value) revert InsufficientPayment(msg.value, cost);

        // The supply is below 2^32 and the amount at most 20. A balance is at most the supply.
        unchecked {
            supply += amount;
            _balances[agent][msg.sender] += amount;
        }
        _book(market, supply, protocolFee, agentFee);
        emit TicketsBought(msg.sender, agent, amount, price, protocolFee, agentFee, supply, block.timestamp);

        if (msg.value > cost) _pay(msg.sender, msg.value - cost);
    }

    /// @dev Sells tickets of the caller, and pays it.
    /// @param agent The agent's wallet.
    /// @param amount Number of tickets.
    /// @param minPayout Minimum payout after fees, in wei.
    function _sell(address agent, uint256 amount, uint256 minPayout) private {
        if (minPayout == 0) revert ZeroSlippageBound();
        (Market storage market, uint256 supply) = _marketFor(agent, amount);
        uint256 held = _balances[agent][msg.sender];
        if (amount > held) revert InsufficientTickets(held, amount);
        if (amount >= supply) revert LastTicket(supply, amount);

        supply -= amount;
        (uint256 price, uint256 protocolFee, uint256 agentFee) = _quote(supply, amount);
        uint256 payout = price - protocolFee - agentFee;
        if (payout < minPayout) revert PayoutBelowMin(payout, minPayout);

        _balances[agent][msg.sender] = held - amount;
        _book(market, supply, protocolFee, agentFee);
        emit TicketsSold(msg.sender, agent, amount, price, protocolFee, agentFee, supply, block.timestamp);

        _pay(msg.sender, payout);
    }

    /// @dev Writes a trade's supply and fees.
    /// @param market The market of the trade.
    /// @param supply Number of tickets after the trade.
    /// @param protocolFee The protocol's fee in wei.
    /// @param agentFee The agent's fee in wei.
    function _book(Market storage market, uint256 supply, uint256 protocolFee, uint256 agentFee) private {
        uint32 newSupply = supply.toUint32();
        uint56 pendingFeeUnits = (market.pendingFeeUnits + agentFee / FEE_UNIT).toUint56();
        // One after the other, so that the compiler makes one write of the two.
        market.supply = newSupply;
        market.pendingFeeUnits = pendingFeeUnits;
        _protocolFeeUnits = (_protocolFeeUnits + protocolFee / FEE_UNIT).toUint56();
    }

    /// @dev Ignores the return data: reading it could be made to cost all gas.
    /// @param to The receiver.
    /// @param amount Amount in wei.
    function _pay(address to, uint256 amount) private {
        if (!LowLevelCall.callNoReturn(to, amount, "")) revert PaymentFailed(to, amount);
    }

    /// @dev Refuses rates above the maximum.
    /// @param protocolBps Protocol fee in basis points.
    /// @param agentBps Agent fee in basis points.
    function _requireAllowedFees(uint256 protocolBps, uint256 agentBps) private pure {
        if (protocolBps > MAX_FEE_PERCENT || agentBps > MAX_FEE_PERCENT - protocolBps) {
            revert FeesAboveMaximum(protocolBps, agentBps);
        }
    }

    /// @dev Drops the proposed rates.
    function _dropFeeUpdate() private {
        emit FeeUpdateCancelled(_feeUpdate.protocolBps, _feeUpdate.agentBps);
        delete _feeUpdate;
    }

    /// @dev Sets the rates.
    /// @param protocolBps Protocol fee in basis points.
    /// @param agentBps Agent fee in basis points.
    function _setFees(uint16 protocolBps, uint16 agentBps) private {
        _protocolBps = protocolBps;
        _agentBps = agentBps;
        emit FeesChanged(protocolBps, agentBps);
    }
}
