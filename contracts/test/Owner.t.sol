// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {ITicketMarket} from "../ITicketMarket.sol";
import {MarketAt, MarketTest} from "./Base.sol";

contract OwnerTest is MarketTest {
    // ------------------------------------------------------------------------------------------------ DEPLOYMENT

    function test_deploysWithAnOwnerAndFees() public {
        // The market is this contract's second: the first was made by setUp.
        vm.expectEmit(address(uint160(uint256(keccak256(abi.encodePacked(hex"d694", address(this), hex"02"))))));
        emit ITicketMarket.FeesChanged(750, 250);
        market = new MarketAt(OWNER, 750, 250);
        expectFees(750, 250);
        vm.assertEq(market.owner(), OWNER, "owner");
        vm.assertTrue(!market.paused(), "not paused");
        vm.assertEq(market.agentCount(), 0, "agents");
    }

    function test_deploysWithTheHighestFee() public {
        market = new MarketAt(OWNER, 1000, 0);
        expectFees(1000, 0);
        market = new MarketAt(OWNER, 0, 1000);
        expectFees(0, 1000);
    }

    function test_refusesToDeployWithTooHighFees() public {
        expectTooHigh(501, 500);
        new MarketAt(OWNER, 501, 500);
        expectTooHigh(1001, 0);
        new MarketAt(OWNER, 1001, 0);
        expectTooHigh(ANY, 1);
        new MarketAt(OWNER, ANY, 1);
    }

    function test_refusesToDeployWithoutAnOwner() public {
        vm.expectRevert(abi.encodeWithSelector(Ownable.OwnableInvalidOwner.selector, address(0)));
        new MarketAt(address(0), 500, 500);
    }

    // ------------------------------------------------------------------------------------------------ FEE UPDATE

    function test_aProposalWaits48Hours() public {
        vm.expectEmit(address(market));
        emit ITicketMarket.FeeUpdateProposed(750, 250, START + 48 hours);
        propose(750, 250);
        (uint256 protocolBps, uint256 agentBps, uint256 applicableAt) = market.pendingFeeUpdate();
        vm.assertEq(protocolBps, 750, "proposed protocol fee");
        vm.assertEq(agentBps, 250, "proposed agent fee");
        vm.assertEq(applicableAt, START + 48 hours, "applicableAt");
        expectFees(500, 500);

        vm.warp(START + 48 hours - 1);
        vm.expectRevert(abi.encodeWithSelector(ITicketMarket.FeeUpdateTooEarly.selector, START + 48 hours));
        applyUpdate();
        expectFees(500, 500);

        vm.warp(START + 48 hours);
        vm.expectEmit(address(market));
        emit ITicketMarket.FeesChanged(750, 250);
        applyUpdate();
        expectFees(750, 250);
        expectNothingPending();
    }

    function test_aTradeTakesTheNewFees() public {
        propose(750, 250);
        vm.warp(START + 48 hours);
        applyUpdate();
        setSupply(14);
        vm.assertEq(buy(BUYER, AGENT, 1), 0.004312 ether, "cost");
        vm.assertEq(market.pendingProtocolFees(), 0.000294 ether, "protocol fees");
        vm.assertEq(market.pendingAgentFees(AGENT), 0.000098 ether, "agent fees");
    }

    function test_feesMayBeZero() public {
        propose(0, 0);
        vm.warp(START + 48 hours);
        applyUpdate();
        expectFees(0, 0);
        setSupply(14);
        vm.assertEq(buy(BUYER, AGENT, 1), 0.00392 ether, "cost");
        vm.assertEq(sell(BUYER, AGENT, 1), 0.00392 ether, "payout");
    }

    function test_anUpdateAppliesOnce() public {
        propose(750, 250);
        vm.warp(START + 48 hours);
        applyUpdate();
        expectNoUpdate();
        applyUpdate();
    }

    function test_aProposalIsCancelled() public {
        propose(750, 250);
        vm.expectEmit(address(market));
        emit ITicketMarket.FeeUpdateCancelled(750, 250);
        cancel();
        expectNothingPending();
        vm.warp(START + 48 hours);
        expectNoUpdate();
        applyUpdate();
        expectFees(500, 500);
    }

    function test_nothingIsAppliedOrCancelledWhenNothingIsProposed() public {
        expectNoUpdate();
        applyUpdate();
        expectNoUpdate();
        cancel();
    }

    function test_oneProposalAtATime() public {
        propose(750, 250);
        vm.warp(START + 47 hours);
        vm.expectRevert(abi.encodeWithSelector(ITicketMarket.FeeUpdateAlreadyPending.selector, START + 48 hours));
        propose(0, 0);
        cancel();
        propose(0, 0);
        (,, uint256 applicableAt) = market.pendingFeeUpdate();
        vm.assertEq(applicableAt, START + 47 hours + 48 hours, "a new timelock");
    }

    function test_refusesAProposalAbove10Percent() public {
        expectTooHigh(501, 500);
        propose(501, 500);
        expectTooHigh(0, 1001);
        propose(0, 1001);
        expectTooHigh(ANY, ANY);
        propose(ANY, ANY);
        expectTooHigh(1, ANY);
        propose(1, ANY);
        propose(1000, 0);
    }

    // ------------------------------------------------------------------------------------------ PAUSE AND OWNER

    function test_pausesAndUnpauses() public {
        vm.expectEmit(address(market));
        emit Pausable.Paused(OWNER);
        vm.prank(OWNER);
        market.pause();
        vm.assertTrue(market.paused(), "paused");
        vm.expectRevert(abi.encodeWithSelector(Pausable.EnforcedPause.selector));
        vm.prank(OWNER);
        market.pause();

        vm.expectEmit(address(market));
        emit Pausable.Unpaused(OWNER);
        vm.prank(OWNER);
        market.unpause();
        vm.assertTrue(!market.paused(), "unpaused");
        vm.expectRevert(abi.encodeWithSelector(Pausable.ExpectedPause.selector));
        vm.prank(OWNER);
        market.unpause();
    }

    function test_pausingKeepsFeesAndRates() public {
        buy(BUYER, AGENT, 5);
        uint256 pending = market.pendingProtocolFees();
        vm.prank(OWNER);
        market.pause();
        vm.prank(OWNER);
        market.transferOwnership(OTHER);
        vm.assertEq(market.pendingProtocolFees(), pending, "protocol fees");
        expectFees(500, 500);
    }

    function test_onlyTheOwnerActs() public {
        bytes[6] memory calls = [
            abi.encodeCall(market.pause, ()),
            abi.encodeCall(market.unpause, ()),
            abi.encodeCall(market.proposeFeeUpdate, (1, 1)),
            abi.encodeCall(market.applyFeeUpdate, ()),
            abi.encodeCall(market.cancelFeeUpdate, ()),
            abi.encodeCall(market.withdrawProtocolFees, (AGENT))
        ];
        bytes memory refusal = abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, AGENT);
        for (uint256 i = 0; i < calls.length; ++i) {
            vm.prank(AGENT);
            (bool success, bytes memory answer) = address(market).call(calls[i]);
            vm.assertTrue(!success, "a stranger may not");
            vm.assertEq(answer, refusal, "refusal");
        }
    }

    function test_ownershipMovesInTwoSteps() public {
        vm.expectEmit(address(market));
        emit Ownable2Step.OwnershipTransferStarted(OWNER, OTHER);
        vm.prank(OWNER);
        market.transferOwnership(OTHER);
        vm.assertEq(market.owner(), OWNER, "still the old owner");
        vm.expectRevert(abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, STRANGER));
        vm.prank(STRANGER);
        market.acceptOwnership();

        vm.expectEmit(address(market));
        emit Ownable.OwnershipTransferred(OWNER, OTHER);
        vm.prank(OTHER);
        market.acceptOwnership();
        vm.assertEq(market.owner(), OTHER, "the new owner");
    }

    function test_ownershipCannotBeRenounced() public {
        vm.expectRevert(abi.encodeWithSelector(ITicketMarket.OwnershipCannotBeRenounced.selector));
        vm.prank(OWNER);
        market.renounceOwnership();
        vm.assertEq(market.owner(), OWNER, "owner");
    }

    // --------------------------------------------------------------------------------------------- PROTOCOL FEES

    function test_theOwnerTakesTheProtocolFees() public {
        buy(BUYER, AGENT, 20);
        uint256 pending = market.pendingProtocolFees();
        vm.expectEmit(address(market));
        emit ITicketMarket.ProtocolFeesWithdrawn(STRANGER, pending, START);
        vm.prank(OWNER);
        market.withdrawProtocolFees(STRANGER);
        vm.assertEq(STRANGER.balance, pending, "the receiver's ether");
        vm.assertEq(market.pendingProtocolFees(), 0, "pending");
        vm.assertEq(address(market).balance, owed(), "the market's ether");
        expectFees(500, 500);
    }

    function test_refusesToTakeNothing() public {
        vm.expectRevert(abi.encodeWithSelector(ITicketMarket.NoProtocolFees.selector));
        vm.prank(OWNER);
        market.withdrawProtocolFees(STRANGER);
    }

    function test_refusesToPayNobody() public {
        buy(BUYER, AGENT, 20);
        vm.expectRevert(abi.encodeWithSelector(ITicketMarket.ZeroAddress.selector));
        vm.prank(OWNER);
        market.withdrawProtocolFees(address(0));
    }

    // -------------------------------------------------------------------------------------------------- HELPERS

    function propose(uint256 protocolBps, uint256 agentBps) private {
        vm.prank(OWNER);
        market.proposeFeeUpdate(protocolBps, agentBps);
    }

    function applyUpdate() private {
        vm.prank(OWNER);
        market.applyFeeUpdate();
    }

    function cancel() private {
        vm.prank(OWNER);
        market.cancelFeeUpdate();
    }

    function expectNoUpdate() private {
        vm.expectRevert(abi.encodeWithSelector(ITicketMarket.NoPendingFeeUpdate.selector));
    }

    function expectTooHigh(uint256 protocolBps, uint256 agentBps) private {
        vm.expectRevert(abi.encodeWithSelector(ITicketMarket.FeesAboveMaximum.selector, protocolBps, agentBps));
    }

    function expectFees(uint256 protocolBps, uint256 agentBps) private view {
        (uint256 protocolNow, uint256 agentNow) = market.feeSplit();
        vm.assertEq(protocolNow, protocolBps, "protocol fee");
        vm.assertEq(agentNow, agentBps, "agent fee");
    }

    function expectNothingPending() private view {
        (uint256 protocolBps, uint256 agentBps, uint256 applicableAt) = market.pendingFeeUpdate();
        vm.assertEq(protocolBps + agentBps + applicableAt, 0, "nothing pending");
    }
}
