// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IMarketErrors} from "../IMarketErrors.sol";
import {ITicketBook} from "../ITicketBook.sol";
import {MarketTest} from "./support/Base.sol";
import {vm} from "./support/Vm.sol";

contract ReadsTest is MarketTest {
    address internal constant SECOND = address(0x5EC);
    address internal constant THIRD = address(0x7423);

    function setUp() public override {
        super.setUp();
        register(SECOND, "Agent Two", "agent_two");
        register(THIRD, "Agent Three", "agent_three");
        buy(BUYER, AGENT, 3);
        buy(BUYER, THIRD, 5);
    }

    function test_countsTheAgents() public {
        vm.assertEq(market.agentCount(), 3, "agents");
        register(OTHER, "Agent Four", "agent_four");
        vm.assertEq(market.agentCount(), 4, "agents after another registration");
    }

    function test_readsOneHoldersTicketsInManyAgents() public view {
        uint256[] memory balances = market.balancesOf(BUYER, fourAgents());
        vm.assertEq(balances.length, 4, "balances");
        vm.assertEq(balances[0], 5, "third agent");
        vm.assertEq(balances[1], 3, "first agent");
        vm.assertEq(balances[2], 0, "no agent");
        vm.assertEq(balances[3], 0, "second agent");
        vm.assertEq(market.balancesOf(SECOND, fourAgents())[3], 1, "its own first ticket");
        vm.assertEq(market.balancesOf(BUYER, new address[](0)).length, 0, "none");
    }

    function test_readsSupplyAndFeesOfManyAgents() public view {
        (uint256[] memory supplies, uint256[] memory pendingFees) = market.marketsOf(fourAgents());
        vm.assertEq(supplies.length, 4, "supplies");
        vm.assertEq(pendingFees.length, 4, "pendingFees");
        vm.assertEq(supplies[0], 6, "third agent");
        vm.assertEq(supplies[1], 4, "first agent");
        vm.assertEq(supplies[2], 0, "no agent");
        vm.assertEq(supplies[3], 1, "second agent");
        vm.assertEq(pendingFees[0], 55 * 0.000001 ether, "fees of the third");
        vm.assertEq(pendingFees[1], 14 * 0.000001 ether, "fees of the first");
        vm.assertEq(pendingFees[2] + pendingFees[3], 0, "no fees");
    }

    function test_knowsNothingOfAStranger() public view {
        ITicketBook.AgentInfo memory info = market.agentInfo(STRANGER);
        vm.assertTrue(!info.registered, "registered");
        vm.assertEq(info.name, "", "name");
        vm.assertEq(info.agentId, "", "agentId");
        vm.assertEq(info.registeredAt + info.supply + info.pendingFees + info.lastWithdrawal, 0, "numbers");
        vm.assertEq(info.feeDestination, address(0), "info.feeDestination");
        vm.assertEq(market.feeDestinationOf(STRANGER), address(0), "feeDestinationOf");
        vm.assertEq(market.agentOf(keccak256("stranger")), address(0), "agentOf");
        vm.assertEq(market.nextWithdrawal(STRANGER), 0, "nextWithdrawal");
        vm.assertEq(market.lastWithdrawal(STRANGER), 0, "lastWithdrawal");
    }

    function test_quotesWhatATradeCosts() public {
        setSupply(14);
        vm.assertEq(market.getBuyPrice(AGENT, 1), 0.00392 ether, "buy");
        vm.assertEq(market.getBuyPriceAfterFee(AGENT, 1), 0.004312 ether, "buy after fee");
        vm.assertEq(market.getSellPrice(AGENT, 1), 0.00338 ether, "sell");
        vm.assertEq(market.getSellPriceAfterFee(AGENT, 1), 0.003042 ether, "sell after fee");
        vm.assertEq(market.getPrice(14, 1), 0.00392 ether, "curve");
    }

    function test_quotesTheSameWhilePaused() public {
        setSupply(14);
        vm.prank(OWNER);
        market.pause();
        vm.assertEq(market.getBuyPrice(AGENT, 1), 0.00392 ether, "buy");
        vm.assertEq(market.getBuyPriceAfterFee(AGENT, 1), 0.004312 ether, "buy after fee");
        vm.assertEq(market.getSellPrice(AGENT, 1), 0.00338 ether, "sell");
        vm.assertEq(market.getSellPriceAfterFee(AGENT, 1), 0.003042 ether, "sell after fee");
    }

    function test_quotesNothingThatWouldBeRefused() public view {
        for (uint256 i = 0; i < 2; ++i) {
            uint256 amount = i == 0 ? 0 : 21;
            bytes memory refusal = abi.encodeWithSelector(IMarketErrors.InvalidAmount.selector, amount);
            expectQuotesRefused(AGENT, amount, refusal, refusal);
        }
        bytes memory unknown = abi.encodeWithSelector(IMarketErrors.AgentNotRegistered.selector, STRANGER);
        expectQuotesRefused(STRANGER, 1, unknown, unknown);
        // AGENT's supply is 4.
        expectQuotesRefused(AGENT, 4, "", abi.encodeWithSelector(IMarketErrors.LastTicket.selector, 4, 4));
        vm.assertEq(market.getSellPrice(AGENT, 3), market.getPrice(1, 3), "all but the last");
    }

    function test_namesItsRules() public view {
        vm.assertEq(market.DIVISOR(), 50_000, "DIVISOR");
        vm.assertEq(market.MAX_FEE_PERCENT(), 1_000, "MAX_FEE_PERCENT");
        vm.assertEq(market.MAX_TICKETS_PER_TRADE(), 20, "MAX_TICKETS_PER_TRADE");
        vm.assertEq(market.FEE_UPDATE_DELAY(), 48 hours, "FEE_UPDATE_DELAY");
        vm.assertEq(market.FEE_UPDATE_GRACE(), 14 days, "FEE_UPDATE_GRACE");
        vm.assertEq(market.MIN_WITHDRAWAL(), 0.001 ether, "MIN_WITHDRAWAL");
        vm.assertEq(market.WITHDRAWAL_COOLDOWN(), 24 hours, "WITHDRAWAL_COOLDOWN");
    }

    function fourAgents() private pure returns (address[] memory agents) {
        agents = new address[](4);
        (agents[0], agents[1], agents[2], agents[3]) = (THIRD, AGENT, STRANGER, SECOND);
    }

    /// @dev Expects the errors of the two quotes. For an empty error, the quote must succeed.
    function expectQuotesRefused(address agent, uint256 amount, bytes memory buyRefusal, bytes memory sellRefusal)
        private
        view
    {
        expectAnswer(abi.encodeCall(market.getBuyPrice, (agent, amount)), buyRefusal);
        expectAnswer(abi.encodeCall(market.getBuyPriceAfterFee, (agent, amount)), buyRefusal);
        expectAnswer(abi.encodeCall(market.getSellPrice, (agent, amount)), sellRefusal);
        expectAnswer(abi.encodeCall(market.getSellPriceAfterFee, (agent, amount)), sellRefusal);
    }

    function expectAnswer(bytes memory call, bytes memory refusal) private view {
        (bool success, bytes memory answer) = address(market).staticcall(call);
        vm.assertTrue(success == (refusal.length == 0), "refused or not");
        if (!success) vm.assertEq(answer, refusal, "refusal");
    }
}
