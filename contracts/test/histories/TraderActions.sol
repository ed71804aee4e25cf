// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {IMarketErrors} from "../../IMarketErrors.sol";
import {Receiver} from "../support/Receivers.sol";
import {vm} from "../support/Vm.sol";
import {Crowd} from "./Crowd.sol";

/// @dev What agents and traders may do, in any order. Every call that is not expected to fail must succeed.
abstract contract TraderActions is Crowd {
    function register(uint256 seed, uint256 destinationSeed) public {
        address agent = person(seed);
        if (paused || supplyOf[agent] != 0) return;
        string memory name = nextName();
        vm.prank(agent);
        market.registerAgent(name, name, person(destinationSeed));
        bookRegistration(agent, person(destinationSeed));
        ++done["register"];
    }

    function registerWithTickets(uint256 seed, uint256 destinationSeed, uint256 tickets, uint256 surplus) public {
        address agent = person(seed);
        if (paused || supplyOf[agent] != 0) return;
        tickets %= 21;
        surplus = seed % 2 == 0 ? 0 : 1 + surplus % 1 ether;
        if (!sendRegistration(agent, person(destinationSeed), tickets, surplus)) return;
        (, uint256 protocolFee, uint256 agentFee) = quote(1, tickets);
        bookRegistration(agent, person(destinationSeed));
        supplyOf[agent] += tickets;
        ticketsOf[agent][agent] += tickets;
        bookTrade(agent, protocolFee, agentFee);
        bookReentry(agent);
        ++done["registerWithTickets"];
    }

    function sendRegistration(address agent, address destination, uint256 tickets, uint256 surplus)
        private
        returns (bool succeeded)
    {
        (uint256 price, uint256 protocolFee, uint256 agentFee) = quote(1, tickets);
        uint256 cost = price + protocolFee + agentFee;
        string memory name = nextName();
        uint256 before = agent.balance;
        succeeded = surplus == 0 || !refusesEther(agent);
        if (!succeeded) expectPaymentFailed(agent, surplus);
        vm.prank(agent);
        market.registerAgent{value: cost + surplus, gas: 1_000_000}(name, name, destination, tickets, cost);
        if (succeeded) vm.assertEq(before - agent.balance, cost, "paid");
    }

    function buy(uint256 seed, uint256 agentSeed, uint256 amount) public {
        buyFor(seed, agentSeed, amount, 0);
    }

    function buyWithSurplus(uint256 seed, uint256 agentSeed, uint256 amount, uint256 surplus) public {
        buyFor(seed, agentSeed, amount, 1 + surplus % 1 ether);
    }

    /// @dev Half of the calls have a deadline, which is this block.
    function buyFor(uint256 seed, uint256 agentSeed, uint256 amount, uint256 surplus) private {
        if (agents.length == 0) return;
        (address trader, address agent) = (person(seed), someAgent(agentSeed));
        amount = 1 + amount % 20;
        (uint256 price, uint256 protocolFee, uint256 agentFee) = quote(supplyOf[agent], amount);
        uint256 cost = price + protocolFee + agentFee;
        bool fails = paused || (surplus > 0 && refusesEther(trader));
        if (paused) vm.expectRevert(abi.encodeWithSelector(Pausable.EnforcedPause.selector));
        else if (fails) expectPaymentFailed(trader, surplus);
        uint256 before = trader.balance;
        vm.prank(trader);
        if (seed % 4 < 2) market.buyTickets{value: cost + surplus, gas: 1_000_000}(agent, amount, cost);
        else market.buyTickets{value: cost + surplus, gas: 1_000_000}(agent, amount, cost, block.timestamp);
        if (fails) return;
        vm.assertEq(before - trader.balance, cost, "paid");
        supplyOf[agent] += amount;
        ticketsOf[agent][trader] += amount;
        bookTrade(agent, protocolFee, agentFee);
        bookReentry(trader);
        ++done[surplus == 0 ? "buy" : "buyWithSurplus"];
    }

    /// @dev A holder can always sell, paused or not, unless it refuses the ether itself.
    function sell(uint256 seed, uint256 agentSeed, uint256 amount) public {
        if (agents.length == 0) return;
        (address trader, address agent) = (person(seed), someAgent(agentSeed));
        uint256 sellable = sellableOf(trader, agent);
        if (sellable == 0) return;
        amount = 1 + amount % sellable;
        (uint256 price, uint256 protocolFee, uint256 agentFee) = quote(supplyOf[agent] - amount, amount);
        uint256 payout = price - protocolFee - agentFee;
        bool fails = refusesEther(trader);
        if (fails) expectPaymentFailed(trader, payout);
        uint256 before = trader.balance;
        vm.prank(trader);
        if (seed % 4 < 2) market.sellTickets{gas: 1_000_000}(agent, amount, payout);
        else market.sellTickets{gas: 1_000_000}(agent, amount, payout, block.timestamp);
        if (fails) return;
        vm.assertEq(trader.balance - before, payout, "received");
        supplyOf[agent] -= amount;
        ticketsOf[agent][trader] -= amount;
        bookTrade(agent, protocolFee, agentFee);
        bookReentry(trader);
        ++done["sell"];
    }

    function sellAll(uint256 seed, uint256 agentSeed) public {
        if (agents.length == 0) return;
        (address trader, address agent) = (person(seed), someAgent(agentSeed));
        for (uint256 sellable = sellableOf(trader, agent); sellable > 0; sellable = sellableOf(trader, agent)) {
            if (refusesEther(trader)) return;
            sell(seed, agentSeed, sellable - 1); // the argument 0 of sell stands for one ticket
            agentSeed = indexOf(agent); // a registration during the sale changes which agent a seed selects
        }
        ++done["sellAll"];
    }

    /// @dev A trade after its deadline fails, whatever else holds.
    function tradeTooLate(uint256 seed, uint256 agentSeed, uint256 late) public {
        if (agents.length == 0) return;
        (address trader, address agent) = (person(seed), someAgent(agentSeed));
        uint256 deadline = block.timestamp - 1 - late % 1 hours;
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.DeadlineExpired.selector, deadline));
        vm.prank(trader);
        if (seed % 4 < 2) market.buyTickets{value: 1 ether}(agent, 1, type(uint256).max, deadline);
        else market.sellTickets(agent, 1, 1, deadline);
        ++done["tradeTooLate"];
    }

    function withdrawAgentFees(uint256 agentSeed) public {
        if (agents.length == 0) return;
        address agent = someAgent(agentSeed);
        uint256 pending = feesOf[agent];
        address destination = destinationOf[agent];
        uint256 next = withdrewAt[agent] + 24 hours;
        bool fails = true;
        if (pending < 0.001 ether) {
            vm.expectRevert(abi.encodeWithSelector(IMarketErrors.FeesBelowMinimum.selector, pending, 0.001 ether));
        } else if (withdrewAt[agent] != 0 && block.timestamp < next) {
            vm.expectRevert(abi.encodeWithSelector(IMarketErrors.WithdrawalTooEarly.selector, next));
        } else if (refusesEther(destination)) {
            expectPaymentFailed(destination, pending);
        } else {
            fails = false;
        }
        uint256 before = destination.balance;
        vm.prank(agent);
        market.withdrawAgentFees{gas: 1_000_000}();
        if (fails) return;
        vm.assertEq(destination.balance - before, pending, "withdrawn");
        feesOf[agent] = 0;
        withdrewAt[agent] = block.timestamp;
        bookReentry(destination);
        ++done["withdrawAgentFees"];
    }

    function setFeeDestination(uint256 agentSeed, uint256 seed) public {
        if (agents.length == 0) return;
        address agent = someAgent(agentSeed);
        vm.prank(agent);
        market.setFeeDestination(person(seed));
        destinationOf[agent] = person(seed);
        ++done["setFeeDestination"];
    }

    function changeMood(uint256 seed, uint256 mood) public {
        address who = person(seed);
        if (who.code.length == 0 || _everyoneTakesEther) return;
        Receiver(payable(who)).become(Receiver.Mood(mood % 4));
        ++done["changeMood"];
    }

    function reenter(uint256 seed, uint256 reentry, uint256 agentSeed, uint256 destinationSeed) public {
        address who = person(seed);
        if (who.code.length == 0 || agents.length == 0) return;
        Reentry plan = supplyOf[who] == 0 ? Reentry.Register : Reentry(reentry % 6);
        planReentry(who, plan, someAgent(agentSeed), person(destinationSeed));
        ++done["reenter"];
    }

    function wait(uint256 time) public {
        vm.warp(block.timestamp + (time % 8 == 0 ? time % 20 days : time % 30 hours));
        ++done["wait"];
    }

    /// @dev Number of tickets that a holder can sell in one call.
    function sellableOf(address trader, address agent) private view returns (uint256 sellable) {
        sellable = ticketsOf[agent][trader];
        if (sellable > 20) sellable = 20;
        if (sellable >= supplyOf[agent]) sellable = supplyOf[agent] - 1;
    }

    function indexOf(address agent) private view returns (uint256 index) {
        while (agents[index] != agent) ++index;
    }
}
