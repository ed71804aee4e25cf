// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ITicketMarket} from "../ITicketMarket.sol";
import {MarketTest} from "./support/Base.sol";
import {Witness} from "./support/Receivers.sol";
import {Vm, vm} from "./support/Vm.sol";

/// @dev A payment is the last step of an action: the receiver already sees the final state and the event.
contract OrderingTest is MarketTest {
    uint256 internal constant SQUARE = 1 ether / 50_000;

    Witness internal witness;
    address internal wallet;

    function setUp() public override {
        super.setUp();
        witness = new Witness(market, AGENT);
        wallet = address(witness);
        vm.deal(wallet, RICH);
        buy(wallet, AGENT, 10);
        buy(BUYER, AGENT, 10);
        // At supply 21, the squares of 1 to 20 sum up to 2870. Each fee is a twentieth of that.
        expectNow(10, 21, 2870 * SQUARE / 20, 2870 * SQUARE / 20, 0);
    }

    function test_returnsTheSurplusOfABuyLast() public {
        uint256 cost = market.getBuyPriceAfterFee(AGENT, 2);
        vm.recordLogs();
        vm.prank(wallet);
        market.buyTickets{value: 1 ether}(AGENT, 2, cost);
        expectEventThenPayment(ITicketMarket.TicketsBought.selector, 1 ether - cost);
        // The squares of 21 and 22 sum up to 925.
        expectNow(12, 23, 3795 * SQUARE / 20, 3795 * SQUARE / 20, 0);
        expectSeenAsItStays();
    }

    function test_paysASaleLast() public {
        vm.recordLogs();
        uint256 payout = sell(wallet, AGENT, 3);
        expectEventThenPayment(ITicketMarket.TicketsSold.selector, payout);
        // The squares of 18 to 20 sum up to 1085.
        expectNow(7, 18, 3955 * SQUARE / 20, 3955 * SQUARE / 20, 0);
        expectSeenAsItStays();
    }

    function test_paysAWithdrawalLast() public {
        vm.prank(AGENT);
        market.setFeeDestination(wallet);
        vm.recordLogs();
        vm.prank(AGENT);
        market.withdrawAgentFees();
        expectEventThenPayment(ITicketMarket.AgentFeesWithdrawn.selector, 2870 * SQUARE / 20);
        expectNow(10, 21, 0, 2870 * SQUARE / 20, START + 24 hours);
        expectSeenAsItStays();
    }

    function test_paysASecondWithdrawalLast() public {
        vm.prank(AGENT);
        market.setFeeDestination(wallet);
        vm.prank(AGENT);
        market.withdrawAgentFees();
        buy(BUYER, AGENT, 20);
        vm.warp(START + 30 hours);
        vm.prank(AGENT);
        market.withdrawAgentFees();
        vm.assertEq(witness.seen().agentFees, 0, "pending");
        vm.assertEq(witness.seen().nextWithdrawal, START + 54 hours, "next withdrawal");
        expectSeenAsItStays();
    }

    function test_paysProtocolFeesLast() public {
        vm.recordLogs();
        vm.prank(OWNER);
        market.withdrawProtocolFees(wallet);
        expectEventThenPayment(ITicketMarket.ProtocolFeesWithdrawn.selector, 2870 * SQUARE / 20);
        expectNow(10, 21, 2870 * SQUARE / 20, 0, 0);
        expectSeenAsItStays();
    }

    /// @dev Expects exactly two events: that of the market, then that of the paid witness, with the amount.
    function expectEventThenPayment(bytes32 selector, uint256 amount) private {
        Vm.Log[] memory logs = vm.getRecordedLogs();
        vm.assertEq(logs.length, 2, "events");
        vm.assertEq(logs[0].emitter, address(market), "the market first");
        vm.assertEq(logs[0].topics[0], selector, "the market's event");
        vm.assertEq(logs[1].emitter, wallet, "the payment second");
        vm.assertEq(logs[1].data, abi.encode(amount), "what was paid");
    }

    function expectNow(
        uint256 balance,
        uint256 supply,
        uint256 agentFees,
        uint256 protocolFees,
        uint256 nextWithdrawal
    ) private view {
        Witness.Sight memory sight = witness.look();
        vm.assertEq(sight.ether_, owed(), "the market's ether");
        vm.assertEq(sight.balance, balance, "tickets");
        vm.assertEq(sight.supply, supply, "supply");
        vm.assertEq(sight.buyPrice, supply * supply * SQUARE, "price");
        vm.assertEq(sight.agentFees, agentFees, "agent fees");
        vm.assertEq(sight.protocolFees, protocolFees, "protocol fees");
        vm.assertEq(sight.nextWithdrawal, nextWithdrawal, "next withdrawal");
    }

    function expectSeenAsItStays() private view {
        Witness.Sight memory seen = witness.seen();
        Witness.Sight memory stays = witness.look();
        vm.assertEq(seen.ether_, stays.ether_, "the market's ether, seen");
        vm.assertEq(seen.balance, stays.balance, "tickets, seen");
        vm.assertEq(seen.supply, stays.supply, "supply, seen");
        vm.assertEq(seen.buyPrice, stays.buyPrice, "price, seen");
        vm.assertEq(seen.agentFees, stays.agentFees, "agent fees, seen");
        vm.assertEq(seen.protocolFees, stays.protocolFees, "protocol fees, seen");
        vm.assertEq(seen.nextWithdrawal, stays.nextWithdrawal, "next withdrawal, seen");
    }
}
