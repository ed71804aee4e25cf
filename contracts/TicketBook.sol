// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {AgentName} from "./AgentName.sol";
import {BondingCurve} from "./BondingCurve.sol";
import {ITicketMarket} from "./ITicketMarket.sol";

/// @title What the market knows, and all that can be read of it
/// @dev Nothing here writes; TicketMarket does.
abstract contract TicketBook is ITicketMarket, Ownable2Step, Pausable {
    /// @notice Ticket number i, counted from 0, costs i^2 / DIVISOR ether.
    uint256 public constant DIVISOR = BondingCurve.DIVISOR;
    /// @notice The most tickets that one trade can have.
    uint256 public constant MAX_TICKETS_PER_TRADE = 20;
    /// @notice The highest sum of protocol and agent fee, in basis points: 10 %.
    uint256 public constant MAX_FEE_PERCENT = 1_000;
    /// @notice From the proposal of fee rates to when they can be applied, in seconds.
    uint256 public constant FEE_UPDATE_DELAY = 48 hours;
    /// @notice The least that an agent can withdraw, in wei.
    uint256 public constant MIN_WITHDRAWAL = 0.001 ether;
    /// @notice From one withdrawal of an agent to its next, in seconds.
    uint256 public constant WITHDRAWAL_COOLDOWN = 24 hours;

    /// @dev One basis point of the price of one square: 2 gwei. Each fee is a whole multiple of it, so fees are exact,
    /// and 56 bits of them count more ether (144 million) than exists.
    uint256 internal constant FEE_UNIT = BondingCurve.SQUARE_PRICE / 10_000;

    // --------------------------------------------------------------------------------------------------- STORAGE

    /// @dev One slot, since each trade reads and writes it.
    struct Market {
        uint32 supply; // 0: not registered
        uint56 pendingFeeUnits;
        uint40 lastWithdrawal;
        bytes16 name; // see AgentName.pack
    }

    struct Registration {
        address agent;
        uint64 registeredAt;
    }

    struct FeeUpdate {
        uint16 protocolBps;
        uint16 agentBps;
        uint64 applicableAt; // 0: none pending
    }

    // These three stand first because they fill up the slot of Ownable2Step's and Pausable's last variables: a buy
    // finds the pause, the rates and the fees in one place.
    uint16 internal _protocolBps;
    uint16 internal _agentBps;
    uint56 internal _protocolFeeUnits;

    FeeUpdate internal _feeUpdate;
    mapping(address agent => Market) internal _markets;
    mapping(address agent => mapping(address holder => uint256)) internal _balances;
    /// @dev Holds only destinations other than the agent's own wallet.
    mapping(address agent => address) internal _feeDestinations;
    mapping(bytes32 agentIdHash => Registration) internal _registrations;
    /// @dev Counted from 1: an empty element 0 spares the first agent the cost of starting the list.
    address[] internal _agents;

    // --------------------------------------------------------------------------------------------------- PRICES

    /// @inheritdoc ITicketMarket
    function getPrice(uint256 supply, uint256 amount) external pure returns (uint256) {
        return BondingCurve.price(supply, amount);
    }

    /// @inheritdoc ITicketMarket
    function getBuyPrice(address agent, uint256 amount) external view returns (uint256) {
        (, uint256 supply) = _marketFor(agent, amount);
        return BondingCurve.price(supply, amount);
    }

    /// @inheritdoc ITicketMarket
    function getSellPrice(address agent, uint256 amount) external view returns (uint256) {
        return BondingCurve.price(_supplyAfterSell(agent, amount), amount);
    }

    /// @inheritdoc ITicketMarket
    function getBuyPriceAfterFee(address agent, uint256 amount) external view returns (uint256) {
        (, uint256 supply) = _marketFor(agent, amount);
        (uint256 price, uint256 protocolFee, uint256 agentFee) = _quote(supply, amount);
        return price + protocolFee + agentFee;
    }

    /// @inheritdoc ITicketMarket
    function getSellPriceAfterFee(address agent, uint256 amount) external view returns (uint256) {
        (uint256 price, uint256 protocolFee, uint256 agentFee) = _quote(_supplyAfterSell(agent, amount), amount);
        return price - protocolFee - agentFee;
    }

    // ---------------------------------------------------------------------------------------------------- READS

    /// @inheritdoc ITicketMarket
    function totalSupply(address agent) external view returns (uint256) {
        return _markets[agent].supply;
    }

    /// @inheritdoc ITicketMarket
    function ticketBalance(address agent, address holder) external view returns (uint256) {
        return _balances[agent][holder];
    }

    /// @inheritdoc ITicketMarket
    function feeSplit() external view returns (uint256 protocolBps, uint256 agentBps) {
        return (_protocolBps, _agentBps);
    }

    /// @inheritdoc ITicketMarket
    function pendingFeeUpdate()
        external
        view
        returns (uint256 protocolBps, uint256 agentBps, uint256 applicableAt)
    {
        return (_feeUpdate.protocolBps, _feeUpdate.agentBps, _feeUpdate.applicableAt);
    }

    /// @inheritdoc ITicketMarket
    function pendingProtocolFees() public view returns (uint256) {
        return _protocolFeeUnits * FEE_UNIT;
    }

    /// @inheritdoc ITicketMarket
    function pendingAgentFees(address agent) public view returns (uint256) {
        return _markets[agent].pendingFeeUnits * FEE_UNIT;
    }

    /// @inheritdoc ITicketMarket
    function feeDestinationOf(address agent) public view returns (address) {
        if (_markets[agent].supply == 0) return address(0);
        address feeDestination = _feeDestinations[agent];
        return feeDestination == address(0) ? agent : feeDestination;
    }

    /// @inheritdoc ITicketMarket
    function lastWithdrawal(address agent) external view returns (uint256) {
        return _markets[agent].lastWithdrawal;
    }

    /// @inheritdoc ITicketMarket
    function nextWithdrawal(address agent) public view returns (uint256) {
        uint256 last = _markets[agent].lastWithdrawal;
        return last == 0 ? 0 : last + WITHDRAWAL_COOLDOWN;
    }

    /// @inheritdoc ITicketMarket
    function agentOf(bytes32 agentIdHash) external view returns (address) {
        return _registrations[agentIdHash].agent;
    }

    /// @inheritdoc ITicketMarket
    function agentInfo(address agent) external view returns (AgentInfo memory info) {
        Market memory market = _markets[agent];
        if (market.supply == 0) return info;
        info.registered = true;
        info.name = AgentName.unpack(market.name);
        info.agentId = AgentName.agentIdOf(market.name);
        info.registeredAt = _registrations[keccak256(bytes(info.agentId))].registeredAt;
        info.feeDestination = feeDestinationOf(agent);
        info.supply = market.supply;
        info.pendingFees = market.pendingFeeUnits * FEE_UNIT;
        info.lastWithdrawal = market.lastWithdrawal;
    }

    /// @inheritdoc ITicketMarket
    function agentCount() external view returns (uint256) {
        return _agents.length - 1;
    }

    /// @inheritdoc ITicketMarket
    function agentsPage(uint256 offset, uint256 limit) external view returns (address[] memory page) {
        uint256 count = _agents.length - 1;
        uint256 left = offset < count ? count - offset : 0;
        page = new address[](limit < left ? limit : left);
        for (uint256 i = 0; i < page.length; ++i) page[i] = _agents[offset + i + 1];
    }

    /// @inheritdoc ITicketMarket
    function balancesOf(address holder, address[] calldata agents) external view returns (uint256[] memory balances) {
        balances = new uint256[](agents.length);
        for (uint256 i = 0; i < agents.length; ++i) balances[i] = _balances[agents[i]][holder];
    }

    /// @inheritdoc ITicketMarket
    function marketsOf(address[] calldata agents)
        external
        view
        returns (uint256[] memory supplies, uint256[] memory pendingFees)
    {
        supplies = new uint256[](agents.length);
        pendingFees = new uint256[](agents.length);
        for (uint256 i = 0; i < agents.length; ++i) {
            supplies[i] = _markets[agents[i]].supply;
            pendingFees[i] = pendingAgentFees(agents[i]);
        }
    }

    // -------------------------------------------------------------------------------------------------- INTERNAL

    /// @dev The market of a trade, with the checks that buying and selling share.
    function _marketFor(address agent, uint256 amount) internal view returns (Market storage market, uint256 supply) {
        if (amount == 0 || amount > MAX_TICKETS_PER_TRADE) revert InvalidAmount(amount);
        market = _markets[agent];
        supply = market.supply;
        if (supply == 0) revert AgentNotRegistered(agent);
    }

    function _supplyAfterSell(address agent, uint256 amount) internal view returns (uint256) {
        (, uint256 supply) = _marketFor(agent, amount);
        if (amount >= supply) revert LastTicket(supply, amount);
        return supply - amount;
    }

    /// @dev Price and fees of the tickets from `supply` on. No division, so no rounding.
    function _quote(uint256 supply, uint256 amount)
        internal
        view
        returns (uint256 price, uint256 protocolFee, uint256 agentFee)
    {
        uint256 squares = BondingCurve.squares(supply, amount);
        // BondingCurve.squares proves that the price fits; each fee is at most MAX_FEE_PERCENT of it.
        unchecked {
            price = squares * BondingCurve.SQUARE_PRICE;
            protocolFee = squares * _protocolBps * FEE_UNIT;
            agentFee = squares * _agentBps * FEE_UNIT;
        }
    }
}
