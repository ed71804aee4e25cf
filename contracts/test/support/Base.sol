// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IMarketErrors} from "../../IMarketErrors.sol";
import {deploy} from "./Deploy.sol";
import {IMarketAt} from "./IMarket.sol";
import {PlainCurve} from "./PlainCurve.sol";
import {vm} from "./Vm.sol";

/// @dev A market with one agent, and people with ether.
abstract contract MarketTest {
    address internal constant OWNER = address(0xA11CE);
    address internal constant AGENT = address(0xA6E27);
    address internal constant BUYER = address(0xB0B);
    address internal constant OTHER = address(0xCA401);
    address internal constant STRANGER = address(0x57A6E2);
    uint256 internal constant RICH = 1_000_000 ether;
    uint256 internal constant ANY = type(uint256).max;
    uint256 internal constant START = 1_800_000_000;

    IMarketAt internal market;

    function setUp() public virtual {
        vm.warp(START);
        market = marketAt(OWNER, 500, 500);
        vm.deal(AGENT, RICH);
        vm.deal(BUYER, RICH);
        vm.deal(OTHER, RICH);
        register(AGENT, "Agent One", "agent_one");
    }

    /// @dev A new market, whose state a test can set.
    function marketAt(address owner, uint256 protocolBps, uint256 agentBps) internal returns (IMarketAt) {
        return IMarketAt(deploy("MarketAt.sol:MarketAt", abi.encode(owner, protocolBps, agentBps)));
    }

    function register(address agent, string memory name, string memory agentId) internal {
        vm.prank(agent);
        market.registerAgent(name, agentId, agent);
    }

    /// @dev Buys tickets for exactly their cost, and returns the cost.
    function buy(address trader, address agent, uint256 amount) internal returns (uint256 cost) {
        cost = market.getBuyPriceAfterFee(agent, amount);
        vm.prank(trader);
        market.buyTickets{value: cost}(agent, amount, cost);
    }

    /// @dev Sells tickets for exactly their payout, and returns the payout.
    function sell(address trader, address agent, uint256 amount) internal returns (uint256 payout) {
        payout = market.getSellPriceAfterFee(agent, amount);
        vm.prank(trader);
        market.sellTickets(agent, amount, payout);
    }

    /// @dev Puts the agent's market at a supply; the tickets are OTHER's, and the market has the ether that they are worth.
    function setSupply(uint32 supply) internal {
        market.setMarket(AGENT, OTHER, supply, 0);
        vm.deal(address(market), PlainCurve.total(supply));
    }

    /// @dev All the ether that the market must have: what the tickets of one agent are worth, and the pending fees.
    function owed() internal view returns (uint256) {
        return PlainCurve.total(market.totalSupply(AGENT)) + market.pendingAgentFees(AGENT)
            + market.pendingProtocolFees();
    }

    /// @dev Calldata of the buyTickets without a deadline: abi.encodeCall cannot choose between overloads.
    function buyCall(address agent, uint256 amount, uint256 maxCost) internal pure returns (bytes memory) {
        return abi.encodeWithSignature("buyTickets(address,uint256,uint256)", agent, amount, maxCost);
    }

    /// @dev Calldata of the sellTickets without a deadline.
    function sellCall(address agent, uint256 amount, uint256 minPayout) internal pure returns (bytes memory) {
        return abi.encodeWithSignature("sellTickets(address,uint256,uint256)", agent, amount, minPayout);
    }

    function bound(uint256 value, uint256 min, uint256 max) internal pure returns (uint256) {
        return min + value % (max - min + 1);
    }

    function expectNotRegistered(address who) internal {
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.AgentNotRegistered.selector, who));
    }
}
