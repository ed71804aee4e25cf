// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {MarketTest} from "./support/Base.sol";
import {vm} from "./support/Vm.sol";

/// @dev A contract can force its ether into the market by destroying itself. Such ether belongs to nobody.
contract ForcedEtherTest is MarketTest {
    uint256 internal constant FORCED = 7 ether + 1;

    function test_nobodyReceivesForcedEther() public {
        buy(BUYER, AGENT, 20);
        uint256 owing = owed();
        uint256 agentFees = market.pendingAgentFees(AGENT);
        uint256 protocolFees = market.pendingProtocolFees();
        uint256 cost = market.getBuyPriceAfterFee(AGENT, 5);
        uint256 payout = market.getSellPriceAfterFee(AGENT, 5);

        forceEther();
        vm.assertEq(address(market).balance, owing + FORCED, "the market's ether");
        vm.assertEq(market.totalSupply(AGENT), 21, "supply");
        vm.assertEq(market.pendingAgentFees(AGENT), agentFees, "agent fees");
        vm.assertEq(market.pendingProtocolFees(), protocolFees, "protocol fees");
        vm.assertEq(market.getBuyPriceAfterFee(AGENT, 5), cost, "cost");
        vm.assertEq(market.getSellPriceAfterFee(AGENT, 5), payout, "payout");

        // All possible withdrawals leave the forced ether in the market.
        uint256 before = BUYER.balance;
        sell(BUYER, AGENT, 5);
        vm.assertEq(BUYER.balance, before + payout, "the seller's ether");
        sell(BUYER, AGENT, 15);
        agentFees = market.pendingAgentFees(AGENT);
        protocolFees = market.pendingProtocolFees();
        vm.prank(AGENT);
        market.withdrawAgentFees();
        vm.assertEq(AGENT.balance, RICH + agentFees, "the agent's ether");
        vm.prank(OWNER);
        market.withdrawProtocolFees(STRANGER);
        vm.assertEq(STRANGER.balance, protocolFees, "the protocol's ether");
        vm.assertEq(address(market).balance, FORCED, "what nobody owns");
    }

    function test_forcedEtherPaysForNoBuy() public {
        forceEther();
        uint256 cost = market.getBuyPriceAfterFee(AGENT, 1);
        vm.prank(BUYER);
        (bool bought,) =
            address(market).call{value: cost - 1}(buyCall(AGENT, 1, cost));
        vm.assertTrue(!bought, "too little sent");
        buy(BUYER, AGENT, 1);
        vm.assertEq(address(market).balance, owed() + FORCED, "the market's ether");
    }

    /// @dev Creates a contract that destroys itself in its constructor: PUSH20 market, SELFDESTRUCT.
    function forceEther() private {
        vm.deal(address(this), FORCED);
        bytes memory code = abi.encodePacked(hex"73", address(market), hex"ff");
        uint256 amount = FORCED;
        address made;
        assembly {
            made := create(amount, add(code, 0x20), mload(code))
        }
        vm.assertTrue(made != address(0), "made");
    }
}
