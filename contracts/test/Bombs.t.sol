// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IMarketErrors} from "../IMarketErrors.sol";
import {MarketTest} from "./support/Base.sol";
import {vm} from "./support/Vm.sol";

/// @dev Answers a payment with a megabyte of data: returns it, or reverts with it.
contract Bomb {
    bool private _reverts;

    function mayRevert(bool reverts) external {
        _reverts = reverts;
    }

    receive() external payable {
        bool reverts = _reverts;
        assembly {
            if reverts { revert(0, 0x100000) }
            return(0, 0x100000)
        }
    }
}

/// @dev A megabyte of memory costs 2.2 million gas. The receiver pays for its megabyte. A market that copied the return
/// data would need a second one, for which the gas of these tests does not suffice.
contract BombsTest is MarketTest {
    uint256 internal constant GAS = 2_700_000;

    Bomb internal bomb;
    address internal wallet;

    function setUp() public override {
        super.setUp();
        bomb = new Bomb();
        wallet = address(bomb);
        vm.deal(wallet, RICH);
        buy(wallet, AGENT, 20);
    }

    function test_doesNotCopyLargeReturnData() public {
        uint256 before = wallet.balance;
        uint256 payout = market.getSellPriceAfterFee(AGENT, 4);
        vm.prank(wallet);
        market.sellTickets{gas: GAS}(AGENT, 4, payout);
        vm.assertEq(wallet.balance, before + payout, "payout");

        uint256 cost = market.getBuyPriceAfterFee(AGENT, 1);
        vm.prank(wallet);
        market.buyTickets{value: 1 ether, gas: GAS}(AGENT, 1, cost);
        vm.assertEq(wallet.balance, before + payout - cost, "surplus");

        uint256 pending = market.pendingAgentFees(AGENT);
        vm.prank(AGENT);
        market.setFeeDestination(wallet);
        vm.prank(AGENT);
        market.withdrawAgentFees{gas: GAS}();
        vm.assertEq(wallet.balance, before + payout - cost + pending, "agent fees");
    }

    /// @dev The error proves that the gas sufficed: running out of gas gives no error data.
    function test_doesNotCopyLargeRevertData() public {
        bomb.mayRevert(true);
        uint256 payout = market.getSellPriceAfterFee(AGENT, 4);
        expectPaymentFailed(payout);
        vm.prank(wallet);
        market.sellTickets{gas: GAS}(AGENT, 4, payout);

        uint256 cost = market.getBuyPriceAfterFee(AGENT, 1);
        expectPaymentFailed(1 ether - cost);
        vm.prank(wallet);
        market.buyTickets{value: 1 ether, gas: GAS}(AGENT, 1, cost);

        uint256 pending = market.pendingProtocolFees();
        expectPaymentFailed(pending);
        vm.prank(OWNER);
        market.withdrawProtocolFees{gas: GAS}(wallet);
        vm.assertEq(market.pendingProtocolFees(), pending, "protocol fees");
    }

    function expectPaymentFailed(uint256 amount) private {
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.PaymentFailed.selector, wallet, amount));
    }
}
