// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {AgentName} from "./AgentName.sol";
import {ITicketMarket} from "./ITicketMarket.sol";
import {TicketBook} from "./TicketBook.sol";

/// @title A market of tickets in agents
/// @dev Every action checks first, then writes, then pays. It pays one receiver at most, which is the caller or one
/// that the caller named, so that a receiver that fails stops nobody else. Ether comes in by buying alone, unless it is
/// forced in (by selfdestruct, or as a block's reward): such ether is nobody's, and no account here counts it.
contract TicketMarket is TicketBook, ReentrancyGuardTransient {
    using SafeCast for uint256;

    constructor(address initialOwner, uint256 protocolBps, uint256 agentBps) Ownable(initialOwner) {
        _requireAllowedFees(protocolBps, agentBps);
        _setFees(protocolBps.toUint16(), agentBps.toUint16());
        _agents.push(address(0));
    }

    // --------------------------------------------------------------------------------------------------- TRADING

    /// @inheritdoc ITicketMarket
    function registerAgent(string calldata name, string calldata agentId, address feeDestination)
        external
        whenNotPaused
    {
        bytes16 packedName = AgentName.pack(name, agentId);
        if (feeDestination == address(0)) revert ZeroAddress();
        if (_markets[msg.sender].supply != 0) revert AgentAlreadyRegistered(msg.sender);
        Registration storage registration = _registrations[keccak256(bytes(agentId))];
        if (registration.agent != address(0)) revert AgentIdTaken(agentId, registration.agent);

        registration.agent = msg.sender;
        registration.registeredAt = uint64(block.timestamp);
        _markets[msg.sender] = Market({supply: 1, pendingFeeUnits: 0, lastWithdrawal: 0, name: packedName});
        _balances[msg.sender][msg.sender] = 1;
        _agents.push(msg.sender);
        if (feeDestination != msg.sender) _feeDestinations[msg.sender] = feeDestination;
        emit AgentRegistered(msg.sender, name, agentId, block.timestamp);
    }

    /// @inheritdoc ITicketMarket
    function buyTickets(address agent, uint256 amount, uint256 maxCost) external payable nonReentrant whenNotPaused {
        if (maxCost == 0) revert ZeroSlippageBound();
        (Market storage market, uint256 supply) = _marketFor(agent, amount);
        (uint256 price, uint256 protocolFee, uint256 agentFee) = _quote(supply, amount);
        uint256 cost = price + protocolFee + agentFee;
        if (cost > maxCost) revert CostAboveMax(cost, maxCost);
        if (cost > msg.value) revert InsufficientPayment(msg.value, cost);

        supply += amount;
        _balances[agent][msg.sender] += amount;
        _book(market, supply, protocolFee, agentFee);
        emit TicketsBought(msg.sender, agent, amount, price, protocolFee, agentFee, supply, block.timestamp);

        if (msg.value > cost) _pay(msg.sender, msg.value - cost);
    }

    /// @inheritdoc ITicketMarket
    function sellTickets(address agent, uint256 amount, uint256 minPayout) external nonReentrant {
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
        _feeDestinations[msg.sender] = feeDestination;
        emit FeeDestinationChanged(msg.sender, feeDestination);
    }

    // ---------------------------------------------------------------------------------------------------- OWNER

    /// @inheritdoc ITicketMarket
    function proposeFeeUpdate(uint256 newProtocolFee, uint256 newAgentFee) external onlyOwner {
        _requireAllowedFees(newProtocolFee, newAgentFee);
        if (_feeUpdate.applicableAt != 0) revert FeeUpdateAlreadyPending(_feeUpdate.applicableAt);
        uint256 applicableAt = block.timestamp + FEE_UPDATE_DELAY;
        _feeUpdate = FeeUpdate(newProtocolFee.toUint16(), newAgentFee.toUint16(), applicableAt.toUint64());
        emit FeeUpdateProposed(newProtocolFee, newAgentFee, applicableAt);
    }

    /// @inheritdoc ITicketMarket
    function applyFeeUpdate() external onlyOwner {
        FeeUpdate memory update = _requireFeeUpdate();
        if (block.timestamp < update.applicableAt) revert FeeUpdateTooEarly(update.applicableAt);
        delete _feeUpdate;
        _setFees(update.protocolBps, update.agentBps);
    }

    /// @inheritdoc ITicketMarket
    function cancelFeeUpdate() external onlyOwner {
        FeeUpdate memory update = _requireFeeUpdate();
        delete _feeUpdate;
        emit FeeUpdateCancelled(update.protocolBps, update.agentBps);
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

    /// @notice Always refuses.
    function renounceOwnership() public pure override {
        revert OwnershipCannotBeRenounced();
    }

    // -------------------------------------------------------------------------------------------------- PRIVATE

    /// @dev Writes a trade's supply and fees.
    function _book(Market storage market, uint256 supply, uint256 protocolFee, uint256 agentFee) private {
        uint32 newSupply = supply.toUint32();
        uint56 pendingFeeUnits = (market.pendingFeeUnits + agentFee / FEE_UNIT).toUint56();
        // One after the other, so that the compiler makes one write of the two.
        market.supply = newSupply;
        market.pendingFeeUnits = pendingFeeUnits;
        _protocolFeeUnits = (_protocolFeeUnits + protocolFee / FEE_UNIT).toUint56();
    }

    /// @dev Ignores what the receiver answers: reading it could be made to cost all gas.
    function _pay(address to, uint256 amount) private {
        if (!LowLevelCall.callNoReturn(to, amount, "")) revert PaymentFailed(to, amount);
    }

    function _requireAllowedFees(uint256 protocolBps, uint256 agentBps) private pure {
        if (protocolBps > MAX_FEE_PERCENT || agentBps > MAX_FEE_PERCENT - protocolBps) {
            revert FeesAboveMaximum(protocolBps, agentBps);
        }
    }

    function _requireFeeUpdate() private view returns (FeeUpdate memory update) {
        update = _feeUpdate;
        if (update.applicableAt == 0) revert NoPendingFeeUpdate();
    }

    function _setFees(uint16 protocolBps, uint16 agentBps) private {
        _protocolBps = protocolBps;
        _agentBps = agentBps;
        emit FeesChanged(protocolBps, agentBps);
    }
}
