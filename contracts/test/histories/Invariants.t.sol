// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {MarketTest} from "../support/Base.sol";
import {IMarket} from "../support/IMarket.sol";
import {PlainCurve} from "../support/PlainCurve.sol";
import {vm} from "../support/Vm.sol";
import {Draw, Handler} from "./Handler.sol";
import {Receiver} from "../support/Receivers.sol";

/// @dev What holds after any history of actions by anyone.
contract InvariantsTest is MarketTest {
    IMarket private _market;
    Handler private _handler;

    function setUp() public override {
        vm.warp(START);
        _market = marketAt(OWNER, 500, 500);
        _handler = new Handler(_market, false);
    }

    /// @dev forge reads this function: it calls only the handler.
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

    /// @dev One fixed history, which proves that every action happens.
    function test_aLongHistoryDoesEverything() public {
        for (uint256 i = 0; i < 8_000; ++i) {
            Draw.act(_handler, uint256(keccak256(abi.encode(i))));
            if (i % 100 == 0) this.invariant_holdsAfterAnyHistory();
        }
        string[27] memory actions = [
            "register",
            "registerWithTickets",
            "registerWhilePaid",
            "buy",
            "buyWithSurplus",
            "sell",
            "sellAll",
            "tradeTooLate",
            "withdrawAgentFees",
            "withdrawProtocolFees",
            "setFeeDestination",
            "setFeeDestinationWhilePaid",
            "changeMood",
            "reenter",
            "refusedReentry",
            "proposeFees",
            "replaceFees",
            "applyFees",
            "applyTooLate",
            "cancelFees",
            "pause",
            "unpause",
            "offerOwnership",
            "acceptOwnership",
            "acceptOwnershipWithAProposal",
            "forceEther",
            "wait"
        ];
        for (uint256 i = 0; i < actions.length; ++i) vm.assertLt(0, _handler.done(actions[i]), actions[i]);
        afterInvariant();
    }

    /// @dev forge calls this function at the end of each history. Everybody sells and withdraws everything. Only
    /// fees below the minimum and forced ether may stay in the market.
    function afterInvariant() public {
        _handler.pause(0); // a paused market allows all calls below
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
            _handler.withdrawAgentFees(i); // the market refuses an amount below the minimum
            unpaid += _handler.feesOf(_handler.agents(i));
        }
        _handler.withdrawProtocolFees(0);
        unpaid += _handler.forcedEther();
        vm.assertEq(address(_market).balance, unpaid, "only fees below the minimum and forced ether");
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
        uint256 owing = _market.pendingProtocolFees() + _handler.forcedEther();
        for (uint256 i = 0; i < _handler.agentCount(); ++i) {
            address agent = _handler.agents(i);
            owing += PlainCurve.price(0, _market.totalSupply(agent)) + _market.pendingAgentFees(agent);
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
            vm.assertEq(_market.feeDestinationOf(agent), _handler.destinationOf(agent), "fee destination");
        }
    }

    /// @dev The handler's rates change 48 hours after a proposal at the earliest.
    function requireRatesAreAtMost10PercentAndChangeByTimelockAlone() private view {
        (uint256 protocolBps, uint256 agentBps) = _market.feeSplit();
        vm.assertLe(protocolBps + agentBps, 1000, "rates");
        vm.assertEq(protocolBps, _handler.protocolBps(), "protocol rate");
        vm.assertEq(agentBps, _handler.agentBps(), "agent rate");
        vm.assertEq(_market.owner(), _handler.owner(), "owner");
    }

    function requireNamesStay() private view {
        for (uint256 i = 0; i < _handler.agentCount(); ++i) {
            string memory name = string.concat("agent-", vm.toString(i));
            vm.assertEq(_market.agentInfo(_handler.agents(i)).name, name, "name");
            vm.assertEq(_market.agentOf(keccak256(bytes(name))), _handler.agents(i), "agentOf");
        }
    }
}
