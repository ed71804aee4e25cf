// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {IMarketErrors} from "../IMarketErrors.sol";
import {ITicketMarket} from "../ITicketMarket.sol";
import {MarketTest} from "./support/Base.sol";
import {vm} from "./support/Vm.sol";

/// @dev The overloads of buyTickets and sellTickets with a deadline.
contract DeadlinesTest is MarketTest {
    uint256 internal constant SQUARE = 1 ether / 50_000;

    function test_buysUpToTheDeadline() public {
        uint256 cost = market.getBuyPriceAfterFee(AGENT, 2);
        vm.expectEmit(address(market));
        emit ITicketMarket.TicketsBought(
            BUYER, AGENT, 2, 5 * SQUARE, 5 * SQUARE / 20, 5 * SQUARE / 20, 3, START
        );
        vm.prank(BUYER);
        market.buyTickets{value: 1 ether}(AGENT, 2, cost, START);
        vm.assertEq(market.ticketBalance(AGENT, BUYER), 2, "tickets");
        vm.assertEq(BUYER.balance, RICH - cost, "the buyer's ether");
        vm.assertEq(address(market).balance, owed(), "the market's ether");
    }

    function test_sellsUpToTheDeadline() public {
        buy(BUYER, AGENT, 4);
        uint256 before = BUYER.balance;
        uint256 payout = market.getSellPriceAfterFee(AGENT, 2);
        vm.prank(BUYER);
        market.sellTickets(AGENT, 2, payout, START);
        vm.assertEq(market.ticketBalance(AGENT, BUYER), 2, "tickets");
        vm.assertEq(BUYER.balance, before + payout, "the seller's ether");
    }

    function testFuzz_refusesATradeAfterTheDeadline(uint256 deadline) public {
        buy(BUYER, AGENT, 4);
        deadline = bound(deadline, 0, START - 1);
        expectExpired(deadline);
        vm.prank(BUYER);
        market.buyTickets{value: 1 ether}(AGENT, 1, ANY, deadline);
        expectExpired(deadline);
        vm.prank(BUYER);
        market.sellTickets(AGENT, 1, 1, deadline);
    }

    function testFuzz_acceptsAnyLaterDeadline(uint256 deadline) public {
        deadline = bound(deadline, START, ANY - START);
        vm.prank(BUYER);
        market.buyTickets{value: 1 ether}(AGENT, 1, ANY, deadline);
        vm.prank(BUYER);
        market.sellTickets(AGENT, 1, 1, deadline);
        vm.assertEq(market.totalSupply(AGENT), 1, "supply");
    }

    function test_refusesWhatTheCallsWithoutADeadlineRefuse() public {
        buy(BUYER, AGENT, 4);
        uint256 cost = market.getBuyPriceAfterFee(AGENT, 1);
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.CostAboveMax.selector, cost, cost - 1));
        vm.prank(BUYER);
        market.buyTickets{value: 1 ether}(AGENT, 1, cost - 1, START);
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.InsufficientPayment.selector, cost - 1, cost));
        vm.prank(BUYER);
        market.buyTickets{value: cost - 1}(AGENT, 1, cost, START);
        uint256 payout = market.getSellPriceAfterFee(AGENT, 1);
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.PayoutBelowMin.selector, payout, payout + 1));
        vm.prank(BUYER);
        market.sellTickets(AGENT, 1, payout + 1, START);
    }

    function test_onlyBuysStopWhilePaused() public {
        buy(BUYER, AGENT, 4);
        vm.prank(OWNER);
        market.pause();
        vm.expectRevert(abi.encodeWithSelector(Pausable.EnforcedPause.selector));
        vm.prank(BUYER);
        market.buyTickets{value: 1 ether}(AGENT, 1, ANY, START);
        vm.prank(BUYER);
        market.sellTickets(AGENT, 4, 1, START);
        vm.assertEq(market.totalSupply(AGENT), 1, "supply");
    }

    function expectExpired(uint256 deadline) private {
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.DeadlineExpired.selector, deadline));
    }
}
