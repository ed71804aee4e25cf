// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {BondingCurve} from "../BondingCurve.sol";
import {ITicketMarket} from "../ITicketMarket.sol";
import {TicketMarket} from "../TicketMarket.sol";

/// @dev What these tests use of forge's cheatcodes.
interface Vm {
    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    function recordLogs() external;
    function getRecordedLogs() external returns (Log[] memory);
    function prank(address sender) external;
    function deal(address account, uint256 balance) external;
    function warp(uint256 timestamp) external;
    function assume(bool condition) external pure;
    function expectRevert(bytes calldata data) external;
    function expectEmit(address emitter) external;
    function assertTrue(bool condition, string calldata what) external pure;
    function assertEq(uint256 left, uint256 right, string calldata what) external pure;
    function assertEq(address left, address right, string calldata what) external pure;
    function assertEq(string calldata left, string calldata right, string calldata what) external pure;
    function assertEq(bytes32 left, bytes32 right, string calldata what) external pure;
    function assertEq(bytes calldata left, bytes calldata right, string calldata what) external pure;
    function assertLe(uint256 left, uint256 right, string calldata what) external pure;
    function assertLt(uint256 left, uint256 right, string calldata what) external pure;
    function readFile(string calldata path) external view returns (string memory);
    function parseJsonUintArray(string calldata json, string calldata key) external pure returns (uint256[] memory);
    function keyExistsJson(string calldata json, string calldata key) external view returns (bool);
    function toString(uint256 value) external pure returns (string memory);
}

/// @dev The market with a way to put it where trading alone would take for ever to get.
contract MarketAt is TicketMarket {
    constructor(address initialOwner, uint256 protocolBps, uint256 agentBps)
        TicketMarket(initialOwner, protocolBps, agentBps)
    {}

    function setMarket(address agent, address holder, uint32 supply, uint56 pendingFeeUnits) external {
        _balances[agent][holder] += supply - _markets[agent].supply;
        _markets[agent].supply = supply;
        _markets[agent].pendingFeeUnits = pendingFeeUnits;
    }

    function setProtocolFeeUnits(uint56 units) external {
        _protocolFeeUnits = units;
    }
}

/// @dev A market with one agent, and people with ether.
abstract contract MarketTest {
    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    address internal constant OWNER = address(0xA11CE);
    address internal constant AGENT = address(0xA6E27);
    address internal constant BUYER = address(0xB0B);
    address internal constant OTHER = address(0xCA401);
    address internal constant STRANGER = address(0x57A6E2);
    uint256 internal constant RICH = 1_000_000 ether;
    uint256 internal constant ANY = type(uint256).max;
    uint256 internal constant START = 1_800_000_000;

    MarketAt internal market;

    function setUp() public virtual {
        vm.warp(START);
        market = new MarketAt(OWNER, 500, 500);
        vm.deal(AGENT, RICH);
        vm.deal(BUYER, RICH);
        vm.deal(OTHER, RICH);
        register(AGENT, "Agent One", "agent_one");
    }

    function register(address agent, string memory name, string memory agentId) internal {
        vm.prank(agent);
        market.registerAgent(name, agentId, agent);
    }

    /// @dev Buys for exactly what it costs, and tells what that was.
    function buy(address trader, address agent, uint256 amount) internal returns (uint256 cost) {
        cost = market.getBuyPriceAfterFee(agent, amount);
        vm.prank(trader);
        market.buyTickets{value: cost}(agent, amount, cost);
    }

    /// @dev Sells for exactly what it pays, and tells what that was.
    function sell(address trader, address agent, uint256 amount) internal returns (uint256 payout) {
        payout = market.getSellPriceAfterFee(agent, amount);
        vm.prank(trader);
        market.sellTickets(agent, amount, payout);
    }

    /// @dev Puts the agent's market at a supply; the tickets are OTHER's, and the market has the ether that they are worth.
    function setSupply(uint32 supply) internal {
        market.setMarket(AGENT, OTHER, supply, 0);
        vm.deal(address(market), BondingCurve.price(0, supply));
    }

    /// @dev All the ether that the market must have: what the tickets of one agent are worth, and the pending fees.
    function owed() internal view returns (uint256) {
        return BondingCurve.price(0, market.totalSupply(AGENT)) + market.pendingAgentFees(AGENT)
            + market.pendingProtocolFees();
    }

    function bound(uint256 value, uint256 min, uint256 max) internal pure returns (uint256) {
        return min + value % (max - min + 1);
    }

    function expectNotRegistered(address who) internal {
        vm.expectRevert(abi.encodeWithSelector(ITicketMarket.AgentNotRegistered.selector, who));
    }
}
