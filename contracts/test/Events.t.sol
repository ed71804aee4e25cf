// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {MarketAt, MarketTest, Vm} from "./Base.sol";

/// @dev Events as a reader of the chain gets them, spelt out rather than taken from the interface: which arguments are
/// indexed, and that the two fees, which differ here, do not change places.
contract EventsTest is MarketTest {
    uint256 internal constant SQUARE = 1 ether / 50_000;
    // The squares of 1 to 20.
    uint256 internal constant PRICE = 2870 * SQUARE;

    function setUp() public override {
        super.setUp();
        market = new MarketAt(OWNER, 750, 250);
        register(AGENT, "Agent One", "agent_one");
    }

    function test_aBuy() public {
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

    function test_aSell() public {
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

    function test_aRegistration() public {
        vm.recordLogs();
        register(OTHER, "Agent Two", "agent_two");
        expectLog(
            "AgentRegistered(address,string,string,uint256)",
            OTHER,
            address(0),
            abi.encode("Agent Two", "agent_two", START)
        );
    }

    function test_aWithdrawalOfAnAgentsFees() public {
        buy(BUYER, AGENT, 20);
        vm.recordLogs();
        vm.prank(AGENT);
        market.withdrawAgentFees();
        bytes memory data = abi.encode(PRICE * 25 / 1000, START);
        expectLog("AgentFeesWithdrawn(address,uint256,uint256)", AGENT, address(0), data);
    }

    function test_aWithdrawalOfTheProtocolFees() public {
        buy(BUYER, AGENT, 20);
        vm.recordLogs();
        vm.prank(OWNER);
        market.withdrawProtocolFees(STRANGER);
        bytes memory data = abi.encode(PRICE * 75 / 1000, START);
        expectLog("ProtocolFeesWithdrawn(address,uint256,uint256)", STRANGER, address(0), data);
    }

    function test_aChangeOfTheFeeDestination() public {
        vm.recordLogs();
        vm.prank(AGENT);
        market.setFeeDestination(STRANGER);
        expectLog("FeeDestinationChanged(address,address)", AGENT, STRANGER, "");
    }

    function test_anUpdateOfTheFees() public {
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

    /// @dev The one log since the last look; zero stands for a topic that is not there.
    function expectLog(string memory signature, address first, address second, bytes memory data) private {
        Vm.Log[] memory logs = vm.getRecordedLogs();
        vm.assertEq(logs.length, 1, "events");
        vm.assertEq(logs[0].emitter, address(market), "emitter");
        uint256 indexed_ = first == address(0) ? 0 : second == address(0) ? 1 : 2;
        vm.assertEq(logs[0].topics.length, 1 + indexed_, "topics");
        vm.assertEq(logs[0].topics[0], keccak256(bytes(signature)), "signature");
        if (indexed_ > 0) vm.assertEq(logs[0].topics[1], bytes32(uint256(uint160(first))), "first indexed");
        if (indexed_ > 1) vm.assertEq(logs[0].topics[2], bytes32(uint256(uint160(second))), "second indexed");
        vm.assertEq(logs[0].data, data, "data");
    }

    function expectFees(uint256 volume) private view {
        vm.assertEq(market.pendingProtocolFees(), volume * 75 / 1000, "protocol fees");
        vm.assertEq(market.pendingAgentFees(AGENT), volume * 25 / 1000, "agent fees");
        vm.assertEq(address(market).balance, owed(), "the market's ether");
    }
}
