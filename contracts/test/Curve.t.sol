// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {MarketTest} from "./support/Base.sol";
import {vm} from "./support/Vm.sol";

/// @dev Tests with the vectors that the TypeScript tests use, too, and properties for any supply, amount and fee.
contract CurveTest is MarketTest {
    function test_pricesEveryCommittedVectorToTheWei() public view {
        uint256[][] memory rows = vectors(".getPrice");
        vm.assertLt(40, rows.length, "vectors");
        for (uint256 i = 0; i < rows.length; ++i) {
            vm.assertEq(market.getPrice(rows[i][0], rows[i][1]), rows[i][2], "price");
        }
    }

    function test_buysEveryCommittedVectorToTheWei() public {
        uint256[][] memory rows = vectors(".buys");
        vm.assertLt(60, rows.length, "vectors");
        for (uint256 i = 0; i < rows.length; ++i) {
            openFor(rows[i]);
            vm.assertEq(market.getBuyPrice(AGENT, rows[i][1]), rows[i][4], "price");
            vm.assertEq(buy(OTHER, AGENT, rows[i][1]), rows[i][7], "total");
            vm.assertEq(market.pendingProtocolFees(), rows[i][5], "protocol fee");
            vm.assertEq(market.pendingAgentFees(AGENT), rows[i][6], "agent fee");
        }
    }

    function test_sellsEveryCommittedVectorToTheWei() public {
        uint256[][] memory rows = vectors(".sells");
        vm.assertLt(50, rows.length, "vectors");
        for (uint256 i = 0; i < rows.length; ++i) {
            openFor(rows[i]);
            vm.assertEq(market.getSellPrice(AGENT, rows[i][1]), rows[i][4], "price");
            vm.assertEq(sell(OTHER, AGENT, rows[i][1]), rows[i][7], "total");
            vm.assertEq(market.pendingProtocolFees(), rows[i][5], "protocol fee");
            vm.assertEq(market.pendingAgentFees(AGENT), rows[i][6], "agent fee");
        }
    }

    function testFuzz_priceIsTheSumOfTheSquares(uint256 supply, uint256 amount) public view {
        supply = bound(supply, 0, type(uint64).max);
        amount = bound(amount, 0, 100);
        uint256 squares = 0;
        for (uint256 i = supply; i < supply + amount; ++i) squares += i * i;
        vm.assertEq(market.getPrice(supply, amount), squares * 1 ether / 50_000, "price");
    }

    function test_refusesSuppliesAndAmountsAbove64Bits() public {
        uint256 max = type(uint64).max;
        vm.expectRevert(abi.encodeWithSignature("OutOfCurve(uint256,uint256)", max + 1, 1));
        market.getPrice(max + 1, 1);
        vm.expectRevert(abi.encodeWithSignature("OutOfCurve(uint256,uint256)", 1, max + 1));
        market.getPrice(1, max + 1);
        vm.expectRevert(abi.encodeWithSignature("OutOfCurve(uint256,uint256)", ANY, ANY));
        market.getPrice(ANY, ANY);
    }

    function testFuzz_oneBuyCostsAsMuchAsSingleBuys(uint256 supply, uint256 amount, uint256 fees) public {
        amount = openAt(supply, amount, fees);
        uint256 atOnce = market.getBuyPriceAfterFee(AGENT, amount);
        uint256 singles = 0;
        for (uint256 i = 0; i < amount; ++i) singles += buy(BUYER, AGENT, 1);
        vm.assertEq(singles, atOnce, "cost");
        vm.assertEq(address(market).balance, owed(), "the market's ether");
    }

    function testFuzz_oneSalePaysAsMuchAsSingleSales(uint256 supply, uint256 amount, uint256 fees) public {
        amount = openAt(supply, amount, fees);
        buy(BUYER, AGENT, amount);
        uint256 atOnce = market.getSellPriceAfterFee(AGENT, amount);
        uint256 singles = 0;
        for (uint256 i = 0; i < amount; ++i) singles += sell(BUYER, AGENT, 1);
        vm.assertEq(singles, atOnce, "payout");
    }

    function testFuzz_aRoundTripNeverProfits(uint256 supply, uint256 amount, uint256 fees) public {
        amount = openAt(supply, amount, fees);
        uint256 supplyBefore = market.totalSupply(AGENT);
        uint256 paid = buy(BUYER, AGENT, amount);
        uint256 received = sell(BUYER, AGENT, amount);
        vm.assertLe(received, paid, "received");
        uint256 taken = market.pendingAgentFees(AGENT) + market.pendingProtocolFees();
        vm.assertEq(paid - received, taken, "what was lost is the fees");
        vm.assertEq(market.totalSupply(AGENT), supplyBefore, "supply");
        vm.assertEq(address(market).balance, owed(), "the market's ether");
    }

    function testFuzz_feesAreExact(uint256 supply, uint256 amount, uint256 fees) public {
        amount = openAt(supply, amount, fees);
        uint256 price = market.getBuyPrice(AGENT, amount);
        buy(BUYER, AGENT, amount);
        (uint256 protocolBps, uint256 agentBps) = market.feeSplit();
        vm.assertEq(market.pendingProtocolFees() * 10_000, price * protocolBps, "protocol fee");
        vm.assertEq(market.pendingAgentFees(AGENT) * 10_000, price * agentBps, "agent fee");
    }

    function testFuzz_sellingIsCheaperThanBuying(uint256 supply, uint256 amount, uint256 fees) public {
        amount = openAt(supply, amount, fees);
        if (amount >= market.totalSupply(AGENT)) amount = market.totalSupply(AGENT) - 1;
        if (amount == 0) return;
        vm.assertLt(market.getSellPrice(AGENT, amount), market.getBuyPrice(AGENT, amount), "price");
    }

    function vectors(string memory key) private view returns (uint256[][] memory rows) {
        string memory json = vm.readFile("test/vectors/curve.json");
        uint256 count = 0;
        while (vm.keyExistsJson(json, row(key, count))) ++count;
        rows = new uint256[][](count);
        for (uint256 i = 0; i < count; ++i) rows[i] = vm.parseJsonUintArray(json, row(key, i));
    }

    function row(string memory key, uint256 index) private pure returns (string memory) {
        return string.concat(key, "[", vm.toString(index), "]");
    }

    /// @dev Sets a market to the supply and the fees of a vector.
    function openFor(uint256[] memory vector) private {
        market = marketAt(OWNER, vector[2], vector[3]);
        register(AGENT, "Agent One", "agent_one");
        setSupply(uint32(vector[0]));
        vm.deal(OTHER, RICH);
    }

    /// @dev Sets a market to any supply that the ether of a chain could pay for, with any allowed fees.
    function openAt(uint256 supply, uint256 amount, uint256 fees) private returns (uint256) {
        uint256 protocolBps = bound(fees, 0, 1000);
        market = marketAt(OWNER, protocolBps, bound(fees >> 128, 0, 1000 - protocolBps));
        register(AGENT, "Agent One", "agent_one");
        setSupply(uint32(bound(supply, 1, 26_000)));
        return bound(amount, 1, 20);
    }
}
