// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {IMarketErrors} from "../IMarketErrors.sol";
import {ITicketMarket} from "../ITicketMarket.sol";
import {MarketTest} from "./support/Base.sol";
import {vm} from "./support/Vm.sol";

contract OwnerTest is MarketTest {
    // ------------------------------------------------------------------------------------------------ DEPLOYMENT

    function test_deploysWithAnOwnerAndFees() public {
        // The market is the second contract that this test creates. setUp created the first.
        vm.expectEmit(address(uint160(uint256(keccak256(abi.encodePacked(hex"d694", address(this), hex"02"))))));
        emit ITicketMarket.FeesChanged(750, 250);
        market = marketAt(OWNER, 750, 250);
        expectFees(750, 250);
        vm.assertEq(market.owner(), OWNER, "owner");
        vm.assertTrue(!market.paused(), "not paused");
        vm.assertEq(market.agentCount(), 0, "agents");
    }

    function test_deploysWithTheHighestFee() public {
        market = marketAt(OWNER, 1000, 0);
        expectFees(1000, 0);
        market = marketAt(OWNER, 0, 1000);
        expectFees(0, 1000);
    }

    function test_refusesToDeployWithTooHighFees() public {
        expectTooHigh(501, 500);
        marketAt(OWNER, 501, 500);
        expectTooHigh(1001, 0);
        marketAt(OWNER, 1001, 0);
        expectTooHigh(ANY, 1);
        marketAt(OWNER, ANY, 1);
    }

    function test_refusesToDeployWithoutAnOwner() public {
        vm.expectRevert(abi.encodeWithSelector(Ownable.OwnableInvalidOwner.selector, address(0)));
        marketAt(address(0), 500, 500);
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
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.OwnershipCannotBeRenounced.selector));
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
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.NoProtocolFees.selector));
        vm.prank(OWNER);
        market.withdrawProtocolFees(STRANGER);
    }

    function test_refusesToPayNobody() public {
        buy(BUYER, AGENT, 20);
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.ZeroAddress.selector));
        vm.prank(OWNER);
        market.withdrawProtocolFees(address(0));
    }

    function expectTooHigh(uint256 protocolBps, uint256 agentBps) private {
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.FeesAboveMaximum.selector, protocolBps, agentBps));
    }

    function expectFees(uint256 protocolBps, uint256 agentBps) private view {
        (uint256 protocolNow, uint256 agentNow) = market.feeSplit();
        vm.assertEq(protocolNow, protocolBps, "protocol fee");
        vm.assertEq(agentNow, agentBps, "agent fee");
    }
}
