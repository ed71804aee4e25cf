// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IMarketErrors} from "../IMarketErrors.sol";
import {ITicketMarket} from "../ITicketMarket.sol";
import {MarketTest} from "./support/Base.sol";
import {vm} from "./support/Vm.sol";

contract FeeUpdatesTest is MarketTest {
    // -------------------------------------------------------------------------------------------------- TIMELOCK

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
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.FeeUpdateTooEarly.selector, START + 48 hours));
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
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.FeeUpdateAlreadyPending.selector, START + 48 hours));
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

    // ---------------------------------------------------------------------------------------------------- EXPIRY

    function test_aProposalAppliesUntil14DaysAfterItWasMade() public {
        propose(750, 250);
        vm.warp(START + 14 days);
        applyUpdate();
        expectFees(750, 250);
        expectNothingPending();
    }

    function test_anExpiredProposalIsNotApplied() public {
        propose(750, 250);
        for (uint256 late = 1; late <= 365 days; late *= 10) {
            vm.warp(START + 14 days + late);
            vm.expectRevert(abi.encodeWithSelector(IMarketErrors.FeeUpdateExpired.selector, START + 14 days));
            applyUpdate();
        }
        expectFees(500, 500);
    }

    function test_anExpiredProposalIsCancelled() public {
        propose(750, 250);
        vm.warp(START + 14 days + 1);
        vm.expectEmit(address(market));
        emit ITicketMarket.FeeUpdateCancelled(750, 250);
        cancel();
        expectNothingPending();
    }

    function test_onlyAnExpiredProposalIsReplaced() public {
        propose(750, 250);
        vm.warp(START + 14 days);
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.FeeUpdateAlreadyPending.selector, START + 48 hours));
        propose(100, 200);

        vm.warp(START + 14 days + 1);
        vm.expectEmit(address(market));
        emit ITicketMarket.FeeUpdateProposed(100, 200, START + 16 days + 1);
        propose(100, 200);
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.FeeUpdateTooEarly.selector, START + 16 days + 1));
        applyUpdate();
        vm.warp(START + 16 days + 1);
        applyUpdate();
        expectFees(100, 200);
    }

    // ----------------------------------------------------------------------------------- TRANSFER OF THE OWNERSHIP

    function test_aTransferOfTheOwnershipDropsTheProposal() public {
        propose(750, 250);
        vm.prank(OWNER);
        market.transferOwnership(OTHER);
        (,, uint256 applicableAt) = market.pendingFeeUpdate();
        vm.assertEq(applicableAt, START + 48 hours, "an offer keeps the proposal");

        vm.expectEmit(address(market));
        emit ITicketMarket.FeeUpdateCancelled(750, 250);
        vm.prank(OTHER);
        market.acceptOwnership();
        expectNothingPending();
        vm.warp(START + 48 hours);
        expectNoUpdate();
        vm.prank(OTHER);
        market.applyFeeUpdate();
        expectFees(500, 500);
    }

    function test_aTransferWithoutAProposalCancelsNothing() public {
        vm.prank(OWNER);
        market.transferOwnership(OTHER);
        vm.recordLogs();
        vm.prank(OTHER);
        market.acceptOwnership();
        vm.assertEq(vm.getRecordedLogs().length, 1, "events");
    }

    function test_theNewOwnerMakesItsOwnProposal() public {
        propose(750, 250);
        vm.prank(OWNER);
        market.transferOwnership(OTHER);
        vm.prank(OTHER);
        market.acceptOwnership();
        vm.prank(OTHER);
        market.proposeFeeUpdate(100, 200);
        vm.warp(START + 48 hours);
        vm.prank(OTHER);
        market.applyFeeUpdate();
        expectFees(100, 200);
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
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.NoPendingFeeUpdate.selector));
    }

    function expectTooHigh(uint256 protocolBps, uint256 agentBps) private {
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.FeesAboveMaximum.selector, protocolBps, agentBps));
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
