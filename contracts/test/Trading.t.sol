// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {IMarketErrors} from "../IMarketErrors.sol";
import {ITicketMarket} from "../ITicketMarket.sol";
import {MarketTest} from "./support/Base.sol";
import {vm} from "./support/Vm.sol";

contract TradingTest is MarketTest {
    uint256 internal constant SQUARE = 1 ether / 50_000;

    // ------------------------------------------------------------------------------------------------------ BUY

    function test_buyTakesPriceAndFees() public {
        // The second and third ticket cost 1 + 4 squares.
        vm.expectEmit(address(market));
        emit ITicketMarket.TicketsBought(
            BUYER, AGENT, 2, 5 * SQUARE, 5 * SQUARE / 20, 5 * SQUARE / 20, 3, START
        );
        uint256 cost = buy(BUYER, AGENT, 2);

        vm.assertEq(cost, 0.00011 ether, "cost");
        vm.assertEq(BUYER.balance, RICH - cost, "the buyer's ether");
        vm.assertEq(address(market).balance, cost, "the market's ether");
        vm.assertEq(market.ticketBalance(AGENT, BUYER), 2, "the buyer's tickets");
        vm.assertEq(market.totalSupply(AGENT), 3, "supply");
        vm.assertEq(market.pendingAgentFees(AGENT), 0.000005 ether, "agent fees");
        vm.assertEq(market.pendingProtocolFees(), 0.000005 ether, "protocol fees");
    }

    function test_buyAtSupply14Costs() public {
        setSupply(14);
        vm.assertEq(market.getBuyPrice(AGENT, 1), 0.00392 ether, "price");
        vm.assertEq(buy(BUYER, AGENT, 1), 0.004312 ether, "cost with fees");
    }

    function test_buyGivesTheSurplusBackLast() public {
        setSupply(14);
        vm.prank(BUYER);
        market.buyTickets{value: 1 ether}(AGENT, 1, ANY);
        vm.assertEq(BUYER.balance, RICH - 0.004312 ether, "the buyer's ether");
        vm.assertEq(address(market).balance, owed(), "the market's ether");
    }

    function test_buyTakesUpTo20() public {
        buy(BUYER, AGENT, 20);
        vm.assertEq(market.ticketBalance(AGENT, BUYER), 20, "tickets");
    }

    function test_severalBuysAddUp() public {
        buy(BUYER, AGENT, 3);
        buy(OTHER, AGENT, 2);
        buy(BUYER, AGENT, 4);
        vm.assertEq(market.ticketBalance(AGENT, BUYER), 7, "the buyer's tickets");
        vm.assertEq(market.ticketBalance(AGENT, OTHER), 2, "the other's tickets");
        vm.assertEq(market.totalSupply(AGENT), 10, "supply");
        vm.assertEq(address(market).balance, owed(), "the market's ether");
    }

    function test_buyRefusesZeroAndMoreThan20() public {
        expectAmount(0);
        vm.prank(BUYER);
        market.buyTickets{value: 1 ether}(AGENT, 0, ANY);
        expectAmount(21);
        vm.prank(BUYER);
        market.buyTickets{value: 1 ether}(AGENT, 21, ANY);
        expectAmount(ANY);
        vm.prank(BUYER);
        market.buyTickets{value: 1 ether}(AGENT, ANY, ANY);
    }

    function test_buyRefusesAnUnknownAgent() public {
        expectNotRegistered(STRANGER);
        vm.prank(BUYER);
        market.buyTickets{value: 1 ether}(STRANGER, 1, ANY);
    }

    function test_buyRefusesNoBound() public {
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.ZeroSlippageBound.selector));
        vm.prank(BUYER);
        market.buyTickets{value: 1 ether}(AGENT, 1, 0);
    }

    function test_buyRefusesACostAboveTheBound() public {
        setSupply(14);
        uint256 cost = 0.004312 ether;
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.CostAboveMax.selector, cost, cost - 1));
        vm.prank(BUYER);
        market.buyTickets{value: 1 ether}(AGENT, 1, cost - 1);
        vm.prank(BUYER);
        market.buyTickets{value: 1 ether}(AGENT, 1, cost);
    }

    function test_buyRefusesTooLittle() public {
        setSupply(14);
        uint256 cost = 0.004312 ether;
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.InsufficientPayment.selector, cost - 1, cost));
        vm.prank(BUYER);
        market.buyTickets{value: cost - 1}(AGENT, 1, cost);
    }

    function test_buyStopsWhilePaused() public {
        vm.prank(OWNER);
        market.pause();
        vm.expectRevert(abi.encodeWithSelector(Pausable.EnforcedPause.selector));
        vm.prank(BUYER);
        market.buyTickets{value: 1 ether}(AGENT, 1, ANY);
        vm.prank(OWNER);
        market.unpause();
        buy(BUYER, AGENT, 1);
    }

    /// @dev This supply costs more ether than exists, so no market reaches it. Still, it must not overflow.
    function test_buyRefusesASupplyThatDoesNotFit() public {
        market = marketAt(OWNER, 0, 0);
        register(AGENT, "Agent One", "agent_one");
        market.setMarket(AGENT, OTHER, type(uint32).max - 1, 0);
        vm.deal(BUYER, type(uint128).max);
        buy(BUYER, AGENT, 1);
        uint256 cost = market.getBuyPriceAfterFee(AGENT, 1);
        vm.expectRevert(abi.encodeWithSelector(SafeCast.SafeCastOverflowedUintDowncast.selector, 32, 2 ** 32));
        vm.prank(BUYER);
        market.buyTickets{value: cost}(AGENT, 1, cost);
    }

    function test_buyRefusesFeesThatDoNotFit() public {
        market.setMarket(AGENT, OTHER, 1, type(uint56).max - 499);
        // Each square adds 500 units to the protocol fee and 500 to the agent fee.
        vm.expectRevert(abi.encodeWithSelector(SafeCast.SafeCastOverflowedUintDowncast.selector, 56, 2 ** 56));
        vm.prank(BUYER);
        market.buyTickets{value: 1 ether}(AGENT, 1, ANY);

        market.setMarket(AGENT, OTHER, 1, type(uint56).max - 500);
        market.setProtocolFeeUnits(type(uint56).max - 499);
        vm.expectRevert(abi.encodeWithSelector(SafeCast.SafeCastOverflowedUintDowncast.selector, 56, 2 ** 56));
        vm.prank(BUYER);
        market.buyTickets{value: 1 ether}(AGENT, 1, ANY);

        market.setProtocolFeeUnits(type(uint56).max - 500);
        vm.prank(BUYER);
        market.buyTickets{value: 1 ether}(AGENT, 1, ANY);
        vm.assertEq(market.pendingAgentFees(AGENT), uint256(type(uint56).max) * 2 gwei, "agent fees");
        vm.assertEq(market.pendingProtocolFees(), uint256(type(uint56).max) * 2 gwei, "protocol fees");
    }

    // ----------------------------------------------------------------------------------------------------- SELL

    function test_sellPaysPriceLessFees() public {
        buy(BUYER, AGENT, 4);
        uint256 before = BUYER.balance;
        uint256 pending = market.pendingAgentFees(AGENT);
        // The fourth and fifth ticket cost 9 + 16 squares.
        vm.expectEmit(address(market));
        emit ITicketMarket.TicketsSold(
            BUYER, AGENT, 2, 25 * SQUARE, 25 * SQUARE / 20, 25 * SQUARE / 20, 3, START
        );
        uint256 payout = sell(BUYER, AGENT, 2);

        vm.assertEq(payout, 0.00045 ether, "payout");
        vm.assertEq(BUYER.balance, before + payout, "the seller's ether");
        vm.assertEq(market.ticketBalance(AGENT, BUYER), 2, "the seller's tickets");
        vm.assertEq(market.totalSupply(AGENT), 3, "supply");
        vm.assertEq(market.pendingAgentFees(AGENT), pending + 0.000025 ether, "agent fees");
        vm.assertEq(address(market).balance, owed(), "the market's ether");
    }

    function test_sellGoesOnWhilePaused() public {
        buy(BUYER, AGENT, 2);
        vm.prank(OWNER);
        market.pause();
        sell(BUYER, AGENT, 2);
        vm.assertEq(market.ticketBalance(AGENT, BUYER), 0, "tickets");
    }

    function test_sellRefusesZeroAndMoreThan20() public {
        setSupply(50);
        expectAmount(0);
        vm.prank(OTHER);
        market.sellTickets(AGENT, 0, 1);
        expectAmount(21);
        vm.prank(OTHER);
        market.sellTickets(AGENT, 21, 1);
        sell(OTHER, AGENT, 20);
    }

    function test_sellRefusesAnUnknownAgent() public {
        expectNotRegistered(STRANGER);
        vm.prank(BUYER);
        market.sellTickets(STRANGER, 1, 1);
    }

    function test_sellRefusesNoBound() public {
        buy(BUYER, AGENT, 1);
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.ZeroSlippageBound.selector));
        vm.prank(BUYER);
        market.sellTickets(AGENT, 1, 0);
    }

    function test_sellRefusesMoreThanIsHeld() public {
        buy(BUYER, AGENT, 3);
        buy(OTHER, AGENT, 9);
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.InsufficientTickets.selector, 3, 4));
        vm.prank(BUYER);
        market.sellTickets(AGENT, 4, 1);
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.InsufficientTickets.selector, 0, 1));
        vm.prank(STRANGER);
        market.sellTickets(AGENT, 1, 1);
    }

    function test_sellRefusesTheLastTicket() public {
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.LastTicket.selector, 1, 1));
        vm.prank(AGENT);
        market.sellTickets(AGENT, 1, 1);

        buy(AGENT, AGENT, 4);
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.LastTicket.selector, 5, 5));
        vm.prank(AGENT);
        market.sellTickets(AGENT, 5, 1);
        sell(AGENT, AGENT, 4);
        vm.assertEq(market.totalSupply(AGENT), 1, "supply");
    }

    function test_sellRefusesTheLastTicketOfAnyHolder() public {
        buy(BUYER, AGENT, 1);
        sell(AGENT, AGENT, 1); // the free first ticket
        vm.assertEq(market.ticketBalance(AGENT, AGENT), 0, "the agent's tickets");
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.LastTicket.selector, 1, 1));
        vm.prank(BUYER);
        market.sellTickets(AGENT, 1, 1);
    }

    function test_sellRefusesAPayoutBelowTheBound() public {
        setSupply(15);
        uint256 payout = 0.00392 ether * 90 / 100;
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.PayoutBelowMin.selector, payout, payout + 1));
        vm.prank(OTHER);
        market.sellTickets(AGENT, 1, payout + 1);
        vm.prank(OTHER);
        market.sellTickets(AGENT, 1, payout);
        vm.assertEq(OTHER.balance, RICH + payout, "the seller's ether");
    }

    // ---------------------------------------------------------------------------------------------------- OTHER

    function test_anAgentsFeeOnItsOwnTicketsComesBackToIt() public {
        setSupply(14);
        uint256 cost = buy(AGENT, AGENT, 1);
        vm.assertEq(cost - market.pendingAgentFees(AGENT), 0.00392 ether * 105 / 100, "effective cost");
    }

    function test_anAgentsOwnTicketsHaveTheSameLimit() public {
        expectAmount(21);
        vm.prank(AGENT);
        market.buyTickets{value: 1 ether}(AGENT, 21, ANY);
        buy(AGENT, AGENT, 20);
        buy(BUYER, AGENT, 20);
        expectAmount(21);
        vm.prank(AGENT);
        market.sellTickets(AGENT, 21, 1);
        sell(AGENT, AGENT, 20);
        vm.assertEq(market.ticketBalance(AGENT, AGENT), 1, "tickets");
    }

    function test_tradesOfOneAgentDoNotTouchAnother() public {
        register(OTHER, "Agent Two", "agent_two");
        buy(BUYER, AGENT, 5);
        vm.assertEq(market.totalSupply(OTHER), 1, "supply");
        vm.assertEq(market.ticketBalance(OTHER, BUYER), 0, "tickets");
        vm.assertEq(market.pendingAgentFees(OTHER), 0, "fees");
        vm.assertEq(market.agentInfo(AGENT).name, "Agent One", "name");
    }

    function test_takesNoEtherOtherwise() public {
        vm.prank(BUYER);
        (bool sent,) = address(market).call{value: 1}("");
        vm.assertTrue(!sent, "plain ether");
        vm.prank(BUYER);
        (sent,) = address(market).call{value: 1}(sellCall(AGENT, 1, 1));
        vm.assertTrue(!sent, "ether with a sell");
    }

    function expectAmount(uint256 amount) private {
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.InvalidAmount.selector, amount));
    }
}
