// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {IMarketErrors} from "../IMarketErrors.sol";
import {MarketTest} from "./support/Base.sol";
import {Receiver} from "./support/Receivers.sol";
import {vm} from "./support/Vm.sol";

/// @dev The overload of registerAgent that buys the agent's own first tickets.
contract FirstTicketsTest is MarketTest {
    address internal constant NEW = address(0x2E3);

    function setUp() public override {
        super.setUp();
        vm.deal(NEW, RICH);
    }

    /// @dev Registering with tickets in one market, and registering and then buying in another, give the same state.
    function testFuzz_doesWhatTheTwoCallsDo(uint256 tickets, bool elsewhere) public {
        tickets = bound(tickets, 1, 20);
        address destination = elsewhere ? STRANGER : NEW;
        uint256 cost = registerWith(tickets, 0, destination);
        uint256 paid = RICH - NEW.balance;
        vm.assertEq(paid, cost, "the agent's ether");
        vm.assertEq(address(market).balance, owed(NEW), "the market's ether");
        bytes memory info = abi.encode(market.agentInfo(NEW));
        uint256 protocolFees = market.pendingProtocolFees();

        market = marketAt(OWNER, 500, 500);
        vm.prank(NEW);
        market.registerAgent("New", "new", destination);
        vm.assertEq(buy(NEW, NEW, tickets), paid, "cost");
        vm.assertEq(abi.encode(market.agentInfo(NEW)), info, "agent");
        vm.assertEq(market.pendingProtocolFees(), protocolFees, "protocol fees");
        vm.assertEq(market.ticketBalance(NEW, NEW), 1 + tickets, "tickets");
    }

    function test_returnsTheSurplus() public {
        uint256 cost = registerWith(20, 1 ether, NEW);
        vm.assertEq(NEW.balance, RICH - cost, "the agent's ether");
        vm.assertEq(address(market).balance, owed(NEW), "the market's ether");
    }

    function test_withoutTicketsOnlyRegisters() public {
        vm.recordLogs();
        vm.prank(NEW);
        market.registerAgent{value: 1 ether}("New", "new", STRANGER, 0, 0);
        vm.assertEq(vm.getRecordedLogs().length, 2, "events of a registration");
        vm.assertEq(market.totalSupply(NEW), 1, "supply");
        vm.assertEq(NEW.balance, RICH, "the agent's ether");
        vm.assertEq(market.feeDestinationOf(NEW), STRANGER, "destination");
    }

    function test_withoutTicketsAndWithoutEtherPaysNobody() public {
        Receiver receiver = new Receiver();
        receiver.become(Receiver.Mood.Reverts);
        vm.prank(address(receiver));
        market.registerAgent("New", "new", address(receiver), 0, 0);
        vm.assertEq(market.totalSupply(address(receiver)), 1, "supply");
    }

    function test_refusesMoreThan20() public {
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.InvalidAmount.selector, 21));
        vm.prank(NEW);
        market.registerAgent{value: 1 ether}("New", "new", NEW, 21, ANY);
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.InvalidAmount.selector, ANY));
        vm.prank(NEW);
        market.registerAgent{value: 1 ether}("New", "new", NEW, ANY, ANY);
    }

    function test_refusesTicketsWithoutABound() public {
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.ZeroSlippageBound.selector));
        vm.prank(NEW);
        market.registerAgent{value: 1 ether}("New", "new", NEW, 1, 0);
    }

    /// @dev The squares of 1 to 20 are 2870: 0.0574 ether, and 10 % fees.
    function test_refusesACostAboveTheBoundAndTooLittleEther() public {
        uint256 cost = 0.06314 ether;
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.CostAboveMax.selector, cost, cost - 1));
        vm.prank(NEW);
        market.registerAgent{value: 1 ether}("New", "new", NEW, 20, cost - 1);
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.InsufficientPayment.selector, cost - 1, cost));
        vm.prank(NEW);
        market.registerAgent{value: cost - 1}("New", "new", NEW, 20, cost);
        vm.assertEq(market.totalSupply(NEW), 0, "a refused call registers nothing");
        vm.prank(NEW);
        market.registerAgent{value: cost}("New", "new", NEW, 20, cost);
    }

    function test_refusesWhatARegistrationRefuses() public {
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.AgentIdTaken.selector, "agent_one", AGENT));
        vm.prank(NEW);
        market.registerAgent("Agent One", "agent_one", NEW, 0, 0);
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.AgentAlreadyRegistered.selector, AGENT));
        vm.prank(AGENT);
        market.registerAgent{value: 1 ether}("Agent Two", "agent_two", AGENT, 1, ANY);
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.ZeroAddress.selector));
        vm.prank(NEW);
        market.registerAgent("New", "new", address(0), 0, 0);
        vm.prank(OWNER);
        market.pause();
        vm.expectRevert(abi.encodeWithSelector(Pausable.EnforcedPause.selector));
        vm.prank(NEW);
        market.registerAgent("New", "new", NEW, 0, 0);
    }

    function test_anAgentThatTakesNoSurplusDoesNotRegister() public {
        Receiver receiver = new Receiver();
        receiver.become(Receiver.Mood.Reverts);
        vm.deal(address(receiver), 1 ether);
        for (uint256 tickets = 0; tickets < 2; ++tickets) {
            uint256 surplus = 1 ether - tickets * 0.000022 ether; // one square and 10 % fees
            vm.expectRevert(
                abi.encodeWithSelector(IMarketErrors.PaymentFailed.selector, address(receiver), surplus)
            );
            vm.prank(address(receiver));
            market.registerAgent{value: 1 ether}("New", "new", address(receiver), tickets, ANY);
        }
        vm.assertEq(market.totalSupply(address(receiver)), 0, "supply");
    }

    /// @dev Sends the cost and a surplus.
    function registerWith(uint256 tickets, uint256 surplus, address destination) private returns (uint256 cost) {
        cost = market.getPrice(1, tickets) * 11 / 10;
        vm.prank(NEW);
        market.registerAgent{value: cost + surplus}("New", "new", destination, tickets, cost);
    }

    function owed(address agent) private view returns (uint256) {
        uint256 tickets = market.totalSupply(agent);
        return market.getPrice(0, tickets) + market.pendingAgentFees(agent) + market.pendingProtocolFees();
    }
}
