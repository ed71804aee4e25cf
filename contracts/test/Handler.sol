// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {BondingCurve} from "../BondingCurve.sol";
import {ITicketMarket} from "../ITicketMarket.sol";
import {TicketMarket} from "../TicketMarket.sol";
import {Vm} from "./Base.sol";
import {Receiver} from "./Receivers.sol";

/// @dev Does anything that anyone may do, in any order, and keeps its own account of what must come of it. Half of the
/// people are contracts whose mood about ether changes. Whatever is not told to fail must succeed.
contract Handler {
    Vm private constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
    address private constant OWNER = address(0xA11CE);
    uint256 private constant PEOPLE = 6;

    TicketMarket public immutable market;
    address[] public people;
    address[] public agents;

    // What the market should say, counted without its help.
    mapping(address agent => uint256) public supplyOf;
    mapping(address agent => mapping(address holder => uint256)) public ticketsOf;
    mapping(address agent => uint256) public feesOf;
    mapping(address agent => uint256) public withdrewAt;
    uint256 public protocolFees;
    uint256 public protocolBps = 500;
    uint256 public agentBps = 500;
    uint256 private _proposedProtocolBps;
    uint256 private _proposedAgentBps;
    uint256 private _proposedAt;
    bool private _paused;

    /// @dev How often each thing was done, since a history in which nothing is done proves nothing.
    mapping(string what => uint256) public done;

    constructor(TicketMarket market_) {
        market = market_;
        for (uint256 i = 0; i < PEOPLE; ++i) {
            people.push(i % 2 == 0 ? address(uint160(0x10001 + i)) : address(new Receiver()));
            vm.deal(people[i], 1e9 ether);
        }
    }

    function agentCount() external view returns (uint256) {
        return agents.length;
    }

    function peopleCount() external pure returns (uint256) {
        return PEOPLE;
    }

    // -------------------------------------------------------------------------------------------------- ACTIONS

    function register(uint256 seed, uint256 destinationSeed) public {
        address agent = person(seed);
        if (_paused || supplyOf[agent] != 0) return;
        string memory name = string.concat("agent-", vm.toString(agents.length));
        vm.prank(agent);
        market.registerAgent(name, name, person(destinationSeed));
        agents.push(agent);
        supplyOf[agent] = 1;
        ticketsOf[agent][agent] = 1;
        ++done["register"];
    }

    function buy(uint256 seed, uint256 agentSeed, uint256 amount) public {
        buyFor(seed, agentSeed, amount, 0);
    }

    function buyWithSurplus(uint256 seed, uint256 agentSeed, uint256 amount, uint256 surplus) public {
        buyFor(seed, agentSeed, amount, 1 + surplus % 1 ether);
    }

    function buyFor(uint256 seed, uint256 agentSeed, uint256 amount, uint256 surplus) private {
        if (agents.length == 0) return;
        (address trader, address agent) = (person(seed), someAgent(agentSeed));
        amount = 1 + amount % 20;
        if (_paused) {
            vm.expectRevert(abi.encodeWithSelector(Pausable.EnforcedPause.selector));
            vm.prank(trader);
            market.buyTickets{value: 1 ether}(agent, amount, type(uint256).max);
            return;
        }
        (uint256 price, uint256 protocolFee, uint256 agentFee) = quote(supplyOf[agent], amount);
        uint256 cost = price + protocolFee + agentFee;
        bool fails = surplus > 0 && refusesEther(trader);
        if (fails) expectPaymentFailed(trader, surplus);
        uint256 before = trader.balance;
        vm.prank(trader);
        market.buyTickets{value: cost + surplus, gas: 1_000_000}(agent, amount, cost);
        if (fails) return;
        vm.assertEq(before - trader.balance, cost, "paid");
        supplyOf[agent] += amount;
        ticketsOf[agent][trader] += amount;
        account(agent, protocolFee, agentFee);
        ++done[surplus == 0 ? "buy" : "buyWithSurplus"];
    }

    /// @dev Paused or not, whatever anyone else is: who holds tickets can sell them, unless it refuses the ether itself.
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
        market.sellTickets{gas: 1_000_000}(agent, amount, payout);
        if (fails) return;
        vm.assertEq(trader.balance - before, payout, "received");
        supplyOf[agent] -= amount;
        ticketsOf[agent][trader] -= amount;
        account(agent, protocolFee, agentFee);
        ++done["sell"];
    }

    function sellAll(uint256 seed, uint256 agentSeed) public {
        if (agents.length == 0) return;
        (address trader, address agent) = (person(seed), someAgent(agentSeed));
        for (uint256 sellable = sellableOf(trader, agent); sellable > 0; sellable = sellableOf(trader, agent)) {
            if (refusesEther(trader)) return;
            sell(seed, agentSeed, sellable - 1); // it counts from 0
        }
        ++done["sellAll"];
    }

    function withdrawAgentFees(uint256 agentSeed) public {
        if (agents.length == 0) return;
        address agent = someAgent(agentSeed);
        uint256 pending = feesOf[agent];
        address destination = market.feeDestinationOf(agent);
        uint256 next = withdrewAt[agent] + 24 hours;
        bool fails = true;
        if (pending < 0.001 ether) {
            vm.expectRevert(abi.encodeWithSelector(ITicketMarket.FeesBelowMinimum.selector, pending, 0.001 ether));
        } else if (withdrewAt[agent] != 0 && block.timestamp < next) {
            vm.expectRevert(abi.encodeWithSelector(ITicketMarket.WithdrawalTooEarly.selector, next));
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
        ++done["withdrawAgentFees"];
    }

    function withdrawProtocolFees() public {
        if (protocolFees == 0) return;
        uint256 before = OWNER.balance;
        vm.prank(OWNER);
        market.withdrawProtocolFees(OWNER);
        vm.assertEq(OWNER.balance - before, protocolFees, "protocol fees");
        protocolFees = 0;
        ++done["withdrawProtocolFees"];
    }

    function setFeeDestination(uint256 agentSeed, uint256 seed) public {
        if (agents.length == 0) return;
        address agent = someAgent(agentSeed);
        vm.prank(agent);
        market.setFeeDestination(person(seed));
        vm.assertEq(market.feeDestinationOf(agent), person(seed), "destination");
        ++done["setFeeDestination"];
    }

    function changeMood(uint256 seed, uint256 mood) public {
        address who = person(seed);
        if (who.code.length == 0) return;
        Receiver(payable(who)).become(Receiver.Mood(mood % 4));
        ++done["changeMood"];
    }

    function proposeFees(uint256 newProtocolBps, uint256 newAgentBps) public {
        if (_proposedAt != 0) return;
        newProtocolBps %= 1001;
        newAgentBps %= 1001 - newProtocolBps;
        vm.prank(OWNER);
        market.proposeFeeUpdate(newProtocolBps, newAgentBps);
        (_proposedProtocolBps, _proposedAgentBps, _proposedAt) = (newProtocolBps, newAgentBps, block.timestamp);
        ++done["proposeFees"];
    }

    function applyFees() public {
        if (_proposedAt == 0) return;
        bool fails = block.timestamp < _proposedAt + 48 hours;
        if (fails) {
            vm.expectRevert(abi.encodeWithSelector(ITicketMarket.FeeUpdateTooEarly.selector, _proposedAt + 48 hours));
        }
        vm.prank(OWNER);
        market.applyFeeUpdate();
        if (fails) return;
        (protocolBps, agentBps, _proposedAt) = (_proposedProtocolBps, _proposedAgentBps, 0);
        ++done["applyFees"];
    }

    function cancelFees(uint256 seed) public {
        if (_proposedAt == 0 || seed % 4 != 0) return; // seldom, or nothing would ever be applied
        vm.prank(OWNER);
        market.cancelFeeUpdate();
        _proposedAt = 0;
        ++done["cancelFees"];
    }

    function pause(uint256 seed) public {
        if (_paused || seed % 8 != 0) return;
        vm.prank(OWNER);
        market.pause();
        _paused = true;
        ++done["pause"];
    }

    function unpause() public {
        if (!_paused) return;
        vm.prank(OWNER);
        market.unpause();
        _paused = false;
        ++done["unpause"];
    }

    function wait(uint256 time) public {
        vm.warp(block.timestamp + time % 30 hours);
        ++done["wait"];
    }

    // -------------------------------------------------------------------------------------------------- HELPERS

    function person(uint256 seed) private view returns (address) {
        return people[seed % PEOPLE];
    }

    function someAgent(uint256 seed) private view returns (address) {
        return agents[seed % agents.length];
    }

    /// @dev How many tickets a holder can sell at once.
    function sellableOf(address trader, address agent) private view returns (uint256 sellable) {
        sellable = ticketsOf[agent][trader];
        if (sellable > 20) sellable = 20;
        if (sellable >= supplyOf[agent]) sellable = supplyOf[agent] - 1;
    }

    function quote(uint256 supply, uint256 amount) private view returns (uint256, uint256, uint256) {
        uint256 price = BondingCurve.price(supply, amount);
        return (price, price * protocolBps / 10_000, price * agentBps / 10_000);
    }

    function account(address agent, uint256 protocolFee, uint256 agentFee) private {
        protocolFees += protocolFee;
        feesOf[agent] += agentFee;
    }

    function refusesEther(address who) private view returns (bool) {
        return who.code.length != 0 && Receiver(payable(who)).mood() != Receiver.Mood.Takes;
    }

    function expectPaymentFailed(address to, uint256 amount) private {
        vm.expectRevert(abi.encodeWithSelector(ITicketMarket.PaymentFailed.selector, to, amount));
    }
}
