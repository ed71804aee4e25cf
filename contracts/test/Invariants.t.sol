// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {BondingCurve} from "../BondingCurve.sol";
import {TicketMarket} from "../TicketMarket.sol";
import {MarketTest} from "./Base.sol";
import {Handler} from "./Handler.sol";
import {Receiver} from "./Receivers.sol";

/// @dev What holds after any history of actions by anyone.
contract InvariantsTest is MarketTest {
    TicketMarket private _market;
    Handler private _handler;

    function setUp() public override {
        vm.warp(START);
        _market = new TicketMarket(OWNER, 500, 500);
        _handler = new Handler(_market);
    }

    /// @dev Read by forge: only the handler acts.
    function targetContracts() public view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(_handler);
    }

    function invariant_holdsAfterAnyHistory() public view {
        requireBalancesAddUpToTheSupply();
        requireHoldsTheCurvesValueAndTheFeesToTheWei();
        requireFeesAreWhatTradesBroughtLessWhatWasWithdrawn();
        requireRatesAreAtMost10PercentAndChangeByTimelockAlone();
        requireNamesStay();
    }

    /// @dev One fixed history, to see that the handler does all that it says.
    function test_aLongHistoryDoesEverything() public {
        for (uint256 i = 0; i < 3_000; ++i) {
            uint256 seed = uint256(keccak256(abi.encode(i)));
            uint256 other = seed >> 64;
            uint256 choice = (seed >> 192) % 14;
            if (choice == 0) _handler.register(seed, other);
            if (choice == 1) _handler.buy(seed, other, seed >> 128);
            if (choice == 2) _handler.buyWithSurplus(seed, other, seed >> 128, seed);
            if (choice == 3) _handler.sell(seed, other, seed >> 128);
            if (choice == 4) _handler.withdrawAgentFees(seed);
            if (choice == 5) _handler.withdrawProtocolFees();
            if (choice == 6) _handler.setFeeDestination(seed, other);
            if (choice == 7) _handler.changeMood(seed, other);
            if (choice == 8) _handler.proposeFees(seed, other);
            if (choice == 9) _handler.applyFees();
            if (choice == 10) _handler.cancelFees(seed);
            if (choice == 11) seed % 3 == 0 ? _handler.pause(other) : _handler.unpause();
            if (choice == 12) _handler.wait(seed);
            if (choice == 13) _handler.sellAll(seed, other);
            if (i % 50 == 0) this.invariant_holdsAfterAnyHistory();
        }
        string[15] memory all = [
            "register",
            "buy",
            "buyWithSurplus",
            "sell",
            "sellAll",
            "withdrawAgentFees",
            "withdrawProtocolFees",
            "setFeeDestination",
            "changeMood",
            "proposeFees",
            "applyFees",
            "cancelFees",
            "pause",
            "unpause",
            "wait"
        ];
        for (uint256 i = 0; i < all.length; ++i) vm.assertLt(0, _handler.done(all[i]), all[i]);
        afterInvariant();
    }

    /// @dev Run by forge at the end of each history: everybody leaves, in any market, and not one wei stays behind.
    function afterInvariant() public {
        _handler.pause(0); // which stops none of this
        for (uint256 i = 0; i < _handler.peopleCount(); ++i) {
            _handler.changeMood(i, uint256(Receiver.Mood.Takes));
        }
        for (uint256 i = 0; i < _handler.agentCount(); ++i) {
            for (uint256 j = 0; j < _handler.peopleCount(); ++j) _handler.sellAll(j, i);
            vm.assertEq(_market.totalSupply(_handler.agents(i)), 1, "one ticket is left");
        }
        vm.warp(block.timestamp + 24 hours);
        uint256 unpaid = 0;
        for (uint256 i = 0; i < _handler.agentCount(); ++i) {
            _handler.withdrawAgentFees(i); // refused below the minimum
            unpaid += _handler.feesOf(_handler.agents(i));
        }
        _handler.withdrawProtocolFees();
        vm.assertEq(address(_market).balance, unpaid, "nothing but fees below the minimum");
    }

    function requireBalancesAddUpToTheSupply() private view {
        for (uint256 i = 0; i < _handler.agentCount(); ++i) {
            address agent = _handler.agents(i);
            uint256 sum = 0;
            for (uint256 j = 0; j < _handler.peopleCount(); ++j) {
                address holder = _handler.people(j);
                vm.assertEq(_market.ticketBalance(agent, holder), _handler.ticketsOf(agent, holder), "balance");
                sum += _market.ticketBalance(agent, holder);
            }
            vm.assertEq(sum, _market.totalSupply(agent), "sum of balances");
            vm.assertEq(_market.totalSupply(agent), _handler.supplyOf(agent), "supply");
            vm.assertLe(1, _market.totalSupply(agent), "at least one ticket");
        }
        vm.assertEq(_market.agentCount(), _handler.agentCount(), "agents");
    }

    function requireHoldsTheCurvesValueAndTheFeesToTheWei() private view {
        uint256 owing = _market.pendingProtocolFees();
        for (uint256 i = 0; i < _handler.agentCount(); ++i) {
            address agent = _handler.agents(i);
            owing += BondingCurve.price(0, _market.totalSupply(agent)) + _market.pendingAgentFees(agent);
        }
        vm.assertEq(address(_market).balance, owing, "the market's ether");
    }

    /// @dev The handler accounts for each trade's fees and each withdrawal, and refuses two withdrawals in 24 hours.
    function requireFeesAreWhatTradesBroughtLessWhatWasWithdrawn() private view {
        vm.assertEq(_market.pendingProtocolFees(), _handler.protocolFees(), "protocol fees");
        for (uint256 i = 0; i < _handler.agentCount(); ++i) {
            address agent = _handler.agents(i);
            vm.assertEq(_market.pendingAgentFees(agent), _handler.feesOf(agent), "agent fees");
            vm.assertEq(_market.lastWithdrawal(agent), _handler.withdrewAt(agent), "last withdrawal");
        }
    }

    /// @dev The handler's rates change 48 hours after a proposal at the earliest.
    function requireRatesAreAtMost10PercentAndChangeByTimelockAlone() private view {
        (uint256 protocolBps, uint256 agentBps) = _market.feeSplit();
        vm.assertLe(protocolBps + agentBps, 1000, "rates");
        vm.assertEq(protocolBps, _handler.protocolBps(), "protocol rate");
        vm.assertEq(agentBps, _handler.agentBps(), "agent rate");
    }

    function requireNamesStay() private view {
        for (uint256 i = 0; i < _handler.agentCount(); ++i) {
            string memory name = string.concat("agent-", vm.toString(i));
            vm.assertEq(_market.agentInfo(_handler.agents(i)).name, name, "name");
            vm.assertEq(_market.agentOf(keccak256(bytes(name))), _handler.agents(i), "agentOf");
        }
    }
}
