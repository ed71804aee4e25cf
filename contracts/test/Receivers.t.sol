// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {IMarketErrors} from "../IMarketErrors.sol";
import {MarketTest} from "./support/Base.sol";
import {Receiver} from "./support/Receivers.sol";
import {vm} from "./support/Vm.sol";

/// @dev A receiver that reverts, burns gas or calls back harms nobody but itself.
contract ReceiversTest is MarketTest {
    Receiver internal receiver;
    address internal wallet;

    function setUp() public override {
        super.setUp();
        receiver = new Receiver();
        wallet = address(receiver);
        vm.deal(wallet, RICH);
        buy(wallet, AGENT, 10);
        buy(BUYER, AGENT, 10);
    }

    function test_aWalletThatIsAContractTrades() public {
        uint256 before = wallet.balance;
        uint256 payout = sell(wallet, AGENT, 4);
        vm.assertEq(wallet.balance, before + payout, "ether");
    }

    function test_aSellerThatRejectsEtherBlocksNobodyElse() public {
        for (uint8 mood = 1; mood <= 3; ++mood) {
            receiver.become(Receiver.Mood(mood));
            uint256 payout = market.getSellPriceAfterFee(AGENT, 4);
            expectPaymentFailed(wallet, payout);
            vm.prank(wallet);
            market.sellTickets{gas: 1_000_000}(AGENT, 4, payout);
            vm.assertEq(market.ticketBalance(AGENT, wallet), 10, "its tickets");
            sell(BUYER, AGENT, 1);
            buy(BUYER, AGENT, 1);
        }
        sell(BUYER, AGENT, 10);
        receiver.become(Receiver.Mood.Takes);
        sell(wallet, AGENT, 10);
        vm.assertEq(address(market).balance, owed(), "the market's ether");
    }

    function test_aBuyerThatRejectsTheSurplusBlocksNobodyElse() public {
        for (uint8 mood = 1; mood <= 3; ++mood) {
            receiver.become(Receiver.Mood(mood));
            uint256 cost = market.getBuyPriceAfterFee(AGENT, 2);
            expectPaymentFailed(wallet, 1 ether - cost);
            vm.prank(wallet);
            market.buyTickets{value: 1 ether, gas: 1_000_000}(AGENT, 2, cost);
            buy(BUYER, AGENT, 1);
        }
        buy(wallet, AGENT, 2); // this call sends no surplus, so the wallet is not paid
        vm.assertEq(market.ticketBalance(AGENT, wallet), 12, "its tickets");
    }

    function test_aFeeDestinationThatRejectsEtherBlocksOnlyItsWithdrawal() public {
        vm.prank(AGENT);
        market.setFeeDestination(wallet);
        buy(OTHER, AGENT, 20);
        for (uint8 mood = 1; mood <= 3; ++mood) {
            receiver.become(Receiver.Mood(mood));
            expectPaymentFailed(wallet, market.pendingAgentFees(AGENT));
            vm.prank(AGENT);
            market.withdrawAgentFees{gas: 1_000_000}();
            sell(BUYER, AGENT, 1);
            buy(BUYER, AGENT, 1);
        }
        vm.assertEq(market.nextWithdrawal(AGENT), 0, "no withdrawal");
        vm.prank(AGENT);
        market.setFeeDestination(STRANGER);
        uint256 pending = market.pendingAgentFees(AGENT);
        vm.prank(AGENT);
        market.withdrawAgentFees();
        vm.assertEq(STRANGER.balance, pending, "the new destination's ether");
    }

    function test_aProtocolReceiverThatRejectsEtherLosesNoFees() public {
        for (uint8 mood = 1; mood <= 3; ++mood) {
            receiver.become(Receiver.Mood(mood));
            uint256 pending = market.pendingProtocolFees();
            expectPaymentFailed(wallet, pending);
            vm.prank(OWNER);
            market.withdrawProtocolFees{gas: 1_000_000}(wallet);
            vm.assertEq(market.pendingProtocolFees(), pending, "pending");
        }
    }

    function test_cannotReenterActionsThatPay() public {
        vm.prank(wallet);
        market.registerAgent("Contract", "contract", wallet);
        buy(OTHER, wallet, 20); // gives the wallet fees to withdraw
        string memory registration = "registerAgent(string,string,address,uint256,uint256)";
        bytes[6] memory calls = [
            abi.encodeCall(market.withdrawAgentFees, ()),
            buyCall(AGENT, 1, ANY),
            sellCall(AGENT, 1, 1),
            abi.encodeWithSignature("buyTickets(address,uint256,uint256,uint256)", AGENT, 1, ANY, ANY),
            abi.encodeWithSignature("sellTickets(address,uint256,uint256,uint256)", AGENT, 1, 1, ANY),
            abi.encodeWithSignature(registration, "Second", "second", wallet, 0, 0)
        ];
        bytes memory refusal = abi.encodeWithSelector(ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector);
        for (uint256 i = 0; i < calls.length; ++i) {
            receiver.callBack(address(market), calls[i]);
            sell(wallet, AGENT, 1);
            expectCalledAndRefused(refusal);
            receiver.callBack(address(market), calls[i]);
            vm.prank(wallet);
            market.buyTickets{value: 1 ether}(AGENT, 1, ANY);
            expectCalledAndRefused(refusal);
        }
        receiver.callBack(address(market), calls[0]);
        vm.prank(wallet);
        market.withdrawAgentFees();
        expectCalledAndRefused(refusal);
        vm.assertEq(market.pendingAgentFees(wallet), 0, "paid once");
    }

    /// @dev During a payment, the wallet may call functions that pay nobody. They find the state of the finished trade.
    function test_mayRegisterWhileItIsPaid() public {
        string memory signature = "registerAgent(string,string,address)";
        receiver.callBack(address(market), abi.encodeWithSignature(signature, "Contract", "contract", OTHER));
        uint256 payout = sell(wallet, AGENT, 4);
        expectCalledAndAccepted();
        vm.assertEq(market.totalSupply(wallet), 1, "its market");
        vm.assertEq(market.feeDestinationOf(wallet), OTHER, "its destination");
        vm.assertEq(market.ticketBalance(AGENT, wallet), 6, "its tickets of the other agent");
        vm.assertEq(wallet.balance, RICH - paidFor10() + payout, "its ether");
        vm.assertEq(address(market).balance, owed(), "the market's ether");
    }

    function test_aNewDestinationReceivesOnlyTheNextWithdrawal() public {
        vm.prank(wallet);
        market.registerAgent("Contract", "contract", wallet);
        buy(OTHER, wallet, 20);
        uint256 pending = market.pendingAgentFees(wallet);
        uint256 before = wallet.balance;
        receiver.callBack(address(market), abi.encodeCall(market.setFeeDestination, (STRANGER)));
        vm.prank(wallet);
        market.withdrawAgentFees();
        expectCalledAndAccepted();
        vm.assertEq(wallet.balance, before + pending, "the wallet's ether");
        vm.assertEq(STRANGER.balance, 0, "the new destination's ether");
        vm.assertEq(market.feeDestinationOf(wallet), STRANGER, "destination");
    }

    function test_anOwnerMayActWhileItIsPaid() public {
        vm.prank(OWNER);
        market.transferOwnership(wallet);
        vm.prank(wallet);
        market.acceptOwnership();
        bytes[5] memory calls = [
            abi.encodeCall(market.pause, ()),
            abi.encodeCall(market.unpause, ()),
            abi.encodeCall(market.proposeFeeUpdate, (100, 200)),
            abi.encodeCall(market.cancelFeeUpdate, ()),
            abi.encodeCall(market.transferOwnership, (OTHER))
        ];
        for (uint256 i = 0; i < calls.length; ++i) {
            receiver.callBack(address(market), calls[i]);
            sell(wallet, AGENT, 1);
            expectCalledAndAccepted();
            vm.assertEq(address(market).balance, owed(), "the market's ether");
        }
        vm.assertEq(market.pendingOwner(), OTHER, "the pending owner");
        vm.assertEq(market.ticketBalance(AGENT, wallet), 5, "its tickets");
    }

    /// @dev The price of a trade is fixed before its payment. Rates that are applied during the payment hold for the next trade.
    function test_ratesThatApplyDuringAPaymentDoNotChangeIt() public {
        vm.prank(OWNER);
        market.transferOwnership(wallet);
        vm.prank(wallet);
        market.acceptOwnership();
        vm.prank(wallet);
        market.proposeFeeUpdate(0, 0);
        vm.warp(START + 48 hours);
        uint256 before = wallet.balance;
        uint256 payout = market.getSellPriceAfterFee(AGENT, 4);
        receiver.callBack(address(market), abi.encodeCall(market.applyFeeUpdate, ()));
        sell(wallet, AGENT, 4);
        expectCalledAndAccepted();
        vm.assertEq(wallet.balance, before + payout, "the seller's ether");
        vm.assertEq(address(market).balance, owed(), "the market's ether");
    }

    function test_anOwnerCannotReenterTheProtocolFees() public {
        vm.prank(OWNER);
        market.transferOwnership(wallet);
        vm.prank(wallet);
        market.acceptOwnership();
        receiver.callBack(address(market), abi.encodeCall(market.withdrawProtocolFees, (wallet)));
        uint256 pending = market.pendingProtocolFees();
        uint256 before = wallet.balance;
        vm.prank(wallet);
        market.withdrawProtocolFees(wallet);
        expectCalledAndRefused(abi.encodeWithSelector(ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector));
        vm.assertEq(wallet.balance, before + pending, "paid once");
    }

    function test_cannotPayTheMarketItself() public {
        vm.prank(AGENT);
        market.setFeeDestination(address(market));
        buy(OTHER, AGENT, 20);
        uint256 pending = market.pendingAgentFees(AGENT);
        expectPaymentFailed(address(market), pending);
        vm.prank(AGENT);
        market.withdrawAgentFees();
    }

    function expectPaymentFailed(address to, uint256 amount) private {
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.PaymentFailed.selector, to, amount));
    }

    /// @dev Cost of the first 10 tickets: the squares of 1 to 10 sum up to 385, and the fees are 10 %.
    function paidFor10() private pure returns (uint256) {
        return 385 * 0.000022 ether;
    }

    function expectCalledAndAccepted() private view {
        vm.assertTrue(receiver.called(), "called back");
        vm.assertTrue(receiver.callSucceeded(), "accepted");
    }

    function expectCalledAndRefused(bytes memory refusal) private view {
        vm.assertTrue(receiver.called(), "called back");
        vm.assertTrue(!receiver.callSucceeded(), "refused");
        vm.assertEq(receiver.callAnswer(), refusal, "refusal");
    }
}
