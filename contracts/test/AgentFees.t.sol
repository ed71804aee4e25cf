// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IMarketErrors} from "../IMarketErrors.sol";
import {ITicketMarket} from "../ITicketMarket.sol";
import {MarketTest} from "./support/Base.sol";
import {vm} from "./support/Vm.sol";

contract AgentFeesTest is MarketTest {
    function test_withdrawalPaysAllPendingFeesToTheDestination() public {
        vm.prank(AGENT);
        market.setFeeDestination(STRANGER);
        buy(BUYER, AGENT, 20);
        uint256 pending = market.pendingAgentFees(AGENT);
        vm.assertEq(pending, 0.00287 ether, "5 % of the squares of 1 to 20");
        vm.assertEq(market.agentInfo(AGENT).pendingFees, pending, "pendingFees");

        vm.expectEmit(address(market));
        emit ITicketMarket.AgentFeesWithdrawn(AGENT, pending, START);
        withdraw();
        vm.assertEq(STRANGER.balance, pending, "the destination's ether");
        vm.assertEq(AGENT.balance, RICH, "the agent's ether");
        vm.assertEq(market.pendingAgentFees(AGENT), 0, "pending");
        vm.assertEq(market.lastWithdrawal(AGENT), START, "lastWithdrawal");
        vm.assertEq(market.agentInfo(AGENT).lastWithdrawal, START, "lastWithdrawal of agentInfo");
        vm.assertEq(market.agentInfo(AGENT).pendingFees, 0, "pendingFees after the withdrawal");
        vm.assertEq(market.nextWithdrawal(AGENT), START + 24 hours, "nextWithdrawal");
        vm.assertEq(address(market).balance, owed(), "the market's ether");
    }

    function test_withdrawalPaysTheOwnWalletByDefault() public {
        buy(BUYER, AGENT, 20);
        withdraw();
        vm.assertEq(AGENT.balance, RICH + 0.00287 ether, "the agent's ether");
    }

    function test_withdrawalChangesNeitherOtherFeesNorTheSupply() public {
        register(OTHER, "Agent Two", "agent_two");
        buy(BUYER, OTHER, 7);
        buy(BUYER, AGENT, 20);
        uint256 others = market.pendingAgentFees(OTHER);
        uint256 protocols = market.pendingProtocolFees();
        withdraw();
        vm.assertEq(market.pendingAgentFees(OTHER), others, "the other's fees");
        vm.assertEq(market.pendingProtocolFees(), protocols, "protocol fees");
        vm.assertEq(market.totalSupply(AGENT), 21, "supply");
        vm.assertEq(market.agentInfo(AGENT).name, "Agent One", "name");
    }

    function test_withdrawalRefusesLessThanTheMinimum() public {
        market.setMarket(AGENT, AGENT, 1, 0.001 ether / 2 gwei - 1);
        vm.deal(address(market), 1 ether);
        expectMinimum(0.001 ether - 2 gwei);
        withdraw();
        market.setMarket(AGENT, AGENT, 1, 0.001 ether / 2 gwei);
        withdraw();
        vm.assertEq(AGENT.balance, RICH + 0.001 ether, "the agent's ether");
        expectMinimum(0);
        withdraw();
    }

    function test_withdrawalRefusesASecondWithin24Hours() public {
        buy(BUYER, AGENT, 20);
        withdraw();
        buy(BUYER, AGENT, 20);
        expectTooEarly();
        withdraw();
        vm.warp(START + 24 hours - 1);
        expectTooEarly();
        withdraw();
        vm.warp(START + 24 hours);
        withdraw();
        vm.assertEq(market.nextWithdrawal(AGENT), START + 48 hours, "nextWithdrawal");
    }

    function test_withdrawalRefusesOtherWallets() public {
        expectNotRegistered(STRANGER);
        vm.prank(STRANGER);
        market.withdrawAgentFees();
    }

    function test_withdrawalWorksWhilePaused() public {
        buy(BUYER, AGENT, 20);
        vm.prank(OWNER);
        market.pause();
        withdraw();
        vm.assertEq(market.pendingAgentFees(AGENT), 0, "pending");
    }

    function test_aTradeDoesNotChangeTheCooldown() public {
        buy(BUYER, AGENT, 20);
        withdraw();
        vm.warp(START + 1 hours);
        sell(BUYER, AGENT, 3);
        vm.assertEq(market.nextWithdrawal(AGENT), START + 24 hours, "nextWithdrawal");
    }

    function test_onlyTheAgentSetsItsDestination() public {
        vm.expectEmit(address(market));
        emit ITicketMarket.FeeDestinationChanged(AGENT, OTHER);
        vm.prank(AGENT);
        market.setFeeDestination(OTHER);
        vm.assertEq(market.feeDestinationOf(AGENT), OTHER, "destination");

        expectNotRegistered(OTHER);
        vm.prank(OTHER);
        market.setFeeDestination(STRANGER);
        register(OTHER, "Agent Two", "agent_two");
        vm.prank(OTHER);
        market.setFeeDestination(STRANGER);
        vm.assertEq(market.feeDestinationOf(AGENT), OTHER, "destination after another agent's change");
        vm.assertEq(market.feeDestinationOf(OTHER), STRANGER, "the other's destination");

        vm.prank(AGENT);
        market.setFeeDestination(AGENT);
        vm.assertEq(market.feeDestinationOf(AGENT), AGENT, "destination, back again");
    }

    /// @dev The mapping of the destinations is at slot 5 of the storage. An agent's own wallet is not stored in it.
    function test_theOwnWalletAsDestinationIsPaidAndStoresNothing() public {
        bytes32 slot = keccak256(abi.encode(AGENT, 5));
        vm.assertEq(vm.load(address(market), slot), bytes32(0), "after the registration");
        vm.prank(AGENT);
        market.setFeeDestination(STRANGER);
        vm.assertEq(vm.load(address(market), slot), bytes32(uint256(uint160(STRANGER))), "another wallet");
        vm.expectEmit(address(market));
        emit ITicketMarket.FeeDestinationChanged(AGENT, AGENT);
        vm.prank(AGENT);
        market.setFeeDestination(AGENT);
        vm.assertEq(vm.load(address(market), slot), bytes32(0), "the own wallet");
        vm.assertEq(market.agentInfo(AGENT).feeDestination, AGENT, "agentInfo");

        buy(BUYER, AGENT, 20);
        withdraw();
        vm.assertEq(AGENT.balance, RICH + 0.00287 ether, "the agent's ether");
        vm.assertEq(STRANGER.balance, 0, "the former destination's ether");
    }

    function test_theDestinationIsNeverZero() public {
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.ZeroAddress.selector));
        vm.prank(AGENT);
        market.setFeeDestination(address(0));
    }

    function withdraw() private {
        vm.prank(AGENT);
        market.withdrawAgentFees();
    }

    function expectMinimum(uint256 pending) private {
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.FeesBelowMinimum.selector, pending, 0.001 ether));
    }

    function expectTooEarly() private {
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.WithdrawalTooEarly.selector, START + 24 hours));
    }
}
