// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IMarketErrors} from "../IMarketErrors.sol";
import {MarketTest} from "./support/Base.sol";
import {vm} from "./support/Vm.sol";

/// @dev Shows what an attacker gains from a transaction that it sees before the block, and how the sender prevents the gain.
contract FrontRunningTest is MarketTest {
    address internal constant NEW = address(0x2E3);

    function setUp() public override {
        super.setUp();
        vm.deal(NEW, RICH);
    }

    function test_aSniperGainsFromTheFirstTicketsOfAnAgent() public {
        register(NEW, "New", "new");
        uint256 before = BUYER.balance;
        buy(BUYER, NEW, 20);
        buy(NEW, NEW, 20);
        sell(BUYER, NEW, 20);
        vm.assertEq(BUYER.balance - before, 0.28372 ether, "gain of the sniper");
    }

    function test_aSniperLosesIfTheAgentRegistersWithItsTickets() public {
        vm.prank(NEW);
        market.registerAgent{value: 1 ether}("New", "new", NEW, 20, ANY);
        uint256 before = BUYER.balance;
        buy(BUYER, NEW, 20);
        sell(BUYER, NEW, 20);
        vm.assertLt(BUYER.balance, before, "the sniper pays the fees");
    }

    function test_aSandwichGainsWithinABoundOf5Percent() public {
        uint256 quote = sandwichedQuote();
        uint256 before = OTHER.balance;
        buy(OTHER, AGENT, 2);
        vm.prank(BUYER);
        market.buyTickets{value: quote * 105 / 100}(AGENT, 20, quote * 105 / 100);
        sell(OTHER, AGENT, 2);
        vm.assertEq(OTHER.balance - before, 0.078316 ether, "gain of the attacker");
    }

    function test_aTighterBoundStopsTheSandwich() public {
        uint256 quote = sandwichedQuote();
        uint256 maxCost = quote * 103 / 100;
        buy(OTHER, AGENT, 2);
        uint256 cost = market.getBuyPriceAfterFee(AGENT, 20);
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.CostAboveMax.selector, cost, maxCost));
        vm.prank(BUYER);
        market.buyTickets{value: maxCost}(AGENT, 20, maxCost);
        uint256 before = OTHER.balance;
        sell(OTHER, AGENT, 2);
        vm.assertLt(OTHER.balance - before, market.getBuyPriceAfterFee(AGENT, 2), "the attacker pays the fees");
    }

    /// @dev The victim's quote for 20 tickets at a supply of 100.
    function sandwichedQuote() private returns (uint256) {
        setSupply(100);
        return market.getBuyPriceAfterFee(AGENT, 20);
    }
}
