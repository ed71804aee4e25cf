// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {MarketTest} from "./support/Base.sol";
import {Vm, vm} from "./support/Vm.sol";

/// @dev Compares the logs with topics and data that are written out here, not taken from the interface. So the tests notice
/// an argument that is not indexed any more, and two fees in the wrong order: the fee rates differ here.
contract EventsTest is MarketTest {
    uint256 internal constant SQUARE = 1 ether / 50_000;
    // The squares of 1 to 20 sum up to 2870.
    uint256 internal constant PRICE = 2870 * SQUARE;

    function setUp() public override {
        super.setUp();
        market = marketAt(OWNER, 750, 250);
        register(AGENT, "Agent One", "agent_one");
    }

    function test_emitsABuy() public {
        vm.recordLogs();
        buy(BUYER, AGENT, 20);
        expectLog(
            "TicketsBought(address,address,uint256,uint256,uint256,uint256,uint256,uint256)",
            BUYER,
            AGENT,
            abi.encode(20, PRICE, PRICE * 75 / 1000, PRICE * 25 / 1000, 21, START)
        );
        expectFees(PRICE);
    }

    function test_emitsASale() public {
        buy(BUYER, AGENT, 20);
        vm.recordLogs();
        sell(BUYER, AGENT, 2);
        uint256 price = (19 * 19 + 20 * 20) * SQUARE;
        expectLog(
            "TicketsSold(address,address,uint256,uint256,uint256,uint256,uint256,uint256)",
            BUYER,
            AGENT,
            abi.encode(2, price, price * 75 / 1000, price * 25 / 1000, 19, START)
        );
        expectFees(PRICE + price);
    }

    function test_emitsARegistration() public {
        vm.recordLogs();
        register(OTHER, "Agent Two", "agent_two");
        Vm.Log[] memory logs = vm.getRecordedLogs();
        vm.assertEq(logs.length, 2, "events");
        bytes memory data = abi.encode("Agent Two", "agent_two", START);
        expectLog(logs[0], "AgentRegistered(address,string,string,uint256)", OTHER, address(0), data);
        expectLog(logs[1], "FeeDestinationChanged(address,address)", OTHER, OTHER, "");
    }

    function test_aRegistrationWithTicketsEmitsTheEventsOfBothCalls() public {
        uint256 cost = PRICE * 110 / 100;
        vm.recordLogs();
        vm.prank(OTHER);
        market.registerAgent{value: cost}("Agent Two", "agent_two", STRANGER, 20, cost);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        vm.assertEq(logs.length, 3, "events");
        bytes memory data = abi.encode("Agent Two", "agent_two", START);
        expectLog(logs[0], "AgentRegistered(address,string,string,uint256)", OTHER, address(0), data);
        expectLog(logs[1], "FeeDestinationChanged(address,address)", OTHER, STRANGER, "");
        string memory bought = "TicketsBought(address,address,uint256,uint256,uint256,uint256,uint256,uint256)";
        data = abi.encode(20, PRICE, PRICE * 75 / 1000, PRICE * 25 / 1000, 21, START);
        expectLog(logs[2], bought, OTHER, OTHER, data);
    }

    function test_aTransferOfOwnershipDropsTheProposalFirst() public {
        vm.prank(OWNER);
        market.proposeFeeUpdate(100, 200);
        vm.prank(OWNER);
        market.transferOwnership(OTHER);
        vm.recordLogs();
        vm.prank(OTHER);
        market.acceptOwnership();
        Vm.Log[] memory logs = vm.getRecordedLogs();
        vm.assertEq(logs.length, 2, "events");
        expectLog(logs[0], "FeeUpdateCancelled(uint256,uint256)", address(0), address(0), abi.encode(100, 200));
        expectLog(logs[1], "OwnershipTransferred(address,address)", OWNER, OTHER, "");
    }

    function test_emitsAWithdrawalOfAgentFees() public {
        buy(BUYER, AGENT, 20);
        vm.recordLogs();
        vm.prank(AGENT);
        market.withdrawAgentFees();
        bytes memory data = abi.encode(PRICE * 25 / 1000, START);
        expectLog("AgentFeesWithdrawn(address,uint256,uint256)", AGENT, address(0), data);
    }

    function test_emitsAWithdrawalOfProtocolFees() public {
        buy(BUYER, AGENT, 20);
        vm.recordLogs();
        vm.prank(OWNER);
        market.withdrawProtocolFees(STRANGER);
        bytes memory data = abi.encode(PRICE * 75 / 1000, START);
        expectLog("ProtocolFeesWithdrawn(address,uint256,uint256)", STRANGER, address(0), data);
    }

    function test_emitsAChangeOfTheFeeDestination() public {
        vm.recordLogs();
        vm.prank(AGENT);
        market.setFeeDestination(STRANGER);
        expectLog("FeeDestinationChanged(address,address)", AGENT, STRANGER, "");
    }

    function test_emitsAnUpdateOfTheFees() public {
        vm.recordLogs();
        vm.prank(OWNER);
        market.proposeFeeUpdate(100, 200);
        expectLog(
            "FeeUpdateProposed(uint256,uint256,uint256)",
            address(0),
            address(0),
            abi.encode(100, 200, START + 48 hours)
        );
        vm.prank(OWNER);
        market.cancelFeeUpdate();
        expectLog("FeeUpdateCancelled(uint256,uint256)", address(0), address(0), abi.encode(100, 200));
        vm.prank(OWNER);
        market.proposeFeeUpdate(300, 400);
        vm.warp(START + 48 hours);
        vm.getRecordedLogs();
        vm.prank(OWNER);
        market.applyFeeUpdate();
        expectLog("FeesChanged(uint256,uint256)", address(0), address(0), abi.encode(300, 400));
    }

    /// @dev The only log since the previous call.
    function expectLog(string memory signature, address first, address second, bytes memory data) private {
        Vm.Log[] memory logs = vm.getRecordedLogs();
        vm.assertEq(logs.length, 1, "events");
        expectLog(logs[0], signature, first, second, data);
    }

    /// @dev The zero address stands for a topic that the log does not have.
    function expectLog(Vm.Log memory log, string memory signature, address first, address second, bytes memory data)
        private
        view
    {
        vm.assertEq(log.emitter, address(market), "emitter");
        uint256 indexed_ = first == address(0) ? 0 : second == address(0) ? 1 : 2;
        vm.assertEq(log.topics.length, 1 + indexed_, "topics");
        vm.assertEq(log.topics[0], keccak256(bytes(signature)), "signature");
        if (indexed_ > 0) vm.assertEq(log.topics[1], bytes32(uint256(uint160(first))), "first indexed");
        if (indexed_ > 1) vm.assertEq(log.topics[2], bytes32(uint256(uint160(second))), "second indexed");
        vm.assertEq(log.data, data, "data");
    }

    function expectFees(uint256 volume) private view {
        vm.assertEq(market.pendingProtocolFees(), volume * 75 / 1000, "protocol fees");
        vm.assertEq(market.pendingAgentFees(AGENT), volume * 25 / 1000, "agent fees");
        vm.assertEq(address(market).balance, owed(), "the market's ether");
    }
}
