// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {AgentName} from "./AgentName.sol";
import {BondingCurve} from "./BondingCurve.sol";
import {ITicketBook} from "./ITicketBook.sol";
import {ITicketMarket} from "./ITicketMarket.sol";

/// @title The state of the market, its prices and its read functions
/// @dev No function here writes; TicketMarket does.
abstract contract TicketBook is ITicketMarket, Ownable2Step, Pausable {
    /// @notice Ticket number i, counted from 0, costs i^2 / DIVISOR ether.
    uint256 public constant DIVISOR = BondingCurve.DIVISOR;
    /// @notice Maximum number of tickets of one trade.
    uint256 public constant MAX_TICKETS_PER_TRADE = 20;
    /// @notice The highest sum of protocol and agent fee, in basis points: 10 %.
    uint256 public constant MAX_FEE_PERCENT = 1_000;
    /// @notice Time from a proposal of fee rates until it can be applied, in seconds.
    uint256 public constant FEE_UPDATE_DELAY = 48 hours;
    /// @notice Time from a proposal of fee rates until it expires, in seconds.
    uint256 public constant FEE_UPDATE_GRACE = 14 days;
    /// @notice Minimum withdrawal of an agent, in wei.
    uint256 public constant MIN_WITHDRAWAL = 0.001 ether;
    /// @notice Minimum time between two withdrawals of an agent, in seconds.
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
    /// @dev Zero stands for the agent's own wallet, which spares most registrations this slot.
    mapping(address agent => address) internal _feeDestinations;
    mapping(bytes32 agentIdHash => Registration) internal _registrations;
    /// @dev Counted from 1, which spares the first agent the cost of a slot that was zero.
    uint256 internal _agentCounter = 1;

    // --------------------------------------------------------------------------------------------------- PRICES

    /// @inheritdoc ITicketBook
    function getPrice(uint256 supply, uint256 amount) external pure returns (uint256) {
        return BondingCurve.price(supply, amount);
    }

    /// @inheritdoc ITicketBook
    function getBuyPrice(address agent, uint256 amount) external view returns (uint256) {
        (, uint256 supply) = _marketFor(agent, amount);
        return BondingCurve.price(supply, amount);
    }

    /// @inheritdoc ITicketBook
    function getSellPrice(address agent, uint256 amount) external view returns (uint256) {
        return BondingCurve.price(_supplyAfterSell(agent, amount), amount);
    }

    /// @inheritdoc ITicketBook
    function getBuyPriceAfterFee(address agent, uint256 amount) external view returns (uint256) {
        (, uint256 supply) = _marketFor(agent, amount);
        (uint256 price, uint256 protocolFee, uint256 agentFee) = _quote(supply, amount);
        return _cost(price, protocolFee, agentFee);
    }

    /// @inheritdoc ITicketBook
    function getSellPriceAfterFee(address agent, uint256 amount) external view returns (uint256) {
        (uint256 price, uint256 protocolFee, uint256 agentFee) = _quote(_supplyAfterSell(agent, amount), amount);
        return price - protocolFee - agentFee;
    }

    // ---------------------------------------------------------------------------------------------------- READS

    /// @inheritdoc ITicketBook
    function totalSupply(address agent) external view returns (uint256) {
        return _markets[agent].supply;
    }

    /// @inheritdoc ITicketBook
    function ticketBalance(address agent, address holder) external view returns (uint256) {
        return _balances[agent][holder];
    }

    /// @inheritdoc ITicketBook
    function feeSplit() external view returns (uint256 protocolBps, uint256 agentBps) {
        return (_protocolBps, _agentBps);
    }

    /// @inheritdoc ITicketBook
    function pendingFeeUpdate()
        external
        view
        returns (uint256 protocolBps, uint256 agentBps, uint256 applicableAt)
    {
        return (_feeUpdate.protocolBps, _feeUpdate.agentBps, _feeUpdate.applicableAt);
    }

    /// @inheritdoc ITicketBook
    function pendingProtocolFees() public view returns (uint256) {
        return _protocolFeeUnits * FEE_UNIT;
    }

    /// @inheritdoc ITicketBook
    function pendingAgentFees(address agent) public view returns (uint256) {
        return _markets[agent].pendingFeeUnits * FEE_UNIT;
    }

    /// @inheritdoc ITicketBook
    function feeDestinationOf(address agent) public view returns (address) {
        if (_markets[agent].supply == 0) return address(0);
        address feeDestination = _feeDestinations[agent];
        return feeDestination == address(0) ? agent : feeDestination;
    }

    /// @inheritdoc ITicketBook
    function lastWithdrawal(address agent) external view returns (uint256) {
        return _markets[agent].lastWithdrawal;
    }

    /// @inheritdoc ITicketBook
    function nextWithdrawal(address agent) public view returns (uint256) {
        uint256 last = _markets[agent].lastWithdrawal;
        return last == 0 ? 0 : last + WITHDRAWAL_COOLDOWN;
    }

    /// @inheritdoc ITicketBook
    function agentOf(bytes32 agentIdHash) external view returns (address) {
        return _registrations[agentIdHash].agent;
    }

    /// @inheritdoc ITicketBook
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

    /// @inheritdoc ITicketBook
    function agentCount() external view returns (uint256) {
        return _agentCounter - 1;
    }

    /// @inheritdoc ITicketBook
    function balancesOf(address holder, address[] calldata agents) external view returns (uint256[] memory balances) {
        balances = new uint256[](agents.length);
        for (uint256 i = 0; i < agents.length; ++i) balances[i] = _balances[agents[i]][holder];
    }

    /// @inheritdoc ITicketBook
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

    /// @dev Finds the market of a trade. Buying and selling share these checks.
    /// @param agent The agent's wallet.
    /// @param amount Number of tickets.
    /// @return market The market.
    /// @return supply Its supply before the trade.
    function _marketFor(address agent, uint256 amount) internal view returns (Market storage market, uint256 supply) {
        if (amount == 0 || amount > MAX_TICKETS_PER_TRADE) revert InvalidAmount(amount);
        market = _markets[agent];
        supply = market.supply;
        if (supply == 0) revert AgentNotRegistered(agent);
    }

    /// @dev Refuses what a sale by any holder would refuse.
    /// @param agent The agent's wallet.
    /// @param amount Number of tickets.
    /// @return The supply after the sale.
    function _supplyAfterSell(address agent, uint256 amount) internal view returns (uint256) {
        (, uint256 supply) = _marketFor(agent, amount);
        if (amount >= supply) revert LastTicket(supply, amount);
        return supply - amount;
    }

    /// @dev Price and fees of the tickets from `supply` on. No division, so no rounding.
    /// @param supply Number of tickets before a purchase, or after a sale.
    /// @param amount Number of tickets.
    /// @return price Price by the curve in wei.
    /// @return protocolFee The protocol's fee in wei.
    /// @return agentFee The agent's fee in wei.
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

    /// @dev Cost of a purchase.
    /// @param price Price by the curve in wei.
    /// @param protocolFee The protocol's fee in wei.
    /// @param agentFee The agent's fee in wei.
    /// @return Price plus both fees, in wei.
    function _cost(uint256 price, uint256 protocolFee, uint256 agentFee) internal pure returns (uint256) {
        unchecked {
            return price + protocolFee + agentFee; // _quote proves that 110 % of the price fit
        }
    }

    /// @dev Time at which a proposal of fee rates expires.
    /// @param applicableAt First timestamp at which it can be applied.
    /// @return Last timestamp at which it can be applied.
    function _expiry(uint256 applicableAt) internal pure returns (uint256) {
        uint256 proposedAt = applicableAt - FEE_UPDATE_DELAY;
        return proposedAt + FEE_UPDATE_GRACE;
    }
}
