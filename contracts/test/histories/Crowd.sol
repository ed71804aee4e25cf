// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {IMarketErrors} from "../../IMarketErrors.sol";
import {IMarket} from "../support/IMarket.sol";
import {PlainCurve} from "../support/PlainCurve.sol";
import {Receiver} from "../support/Receivers.sol";
import {vm} from "../support/Vm.sol";

/// @dev The people of a history, and the state that the market should have, computed without it. Half of the people are
/// contracts: they take or refuse ether, or call the market back while it pays them.
abstract contract Crowd {
    uint256 private constant PEOPLE = 6;

    /// @dev What a contract calls while it is paid. The market refuses the calls before SetFeeDestination.
    enum Reentry {
        Buy,
        Sell,
        RegisterWithTickets,
        WithdrawAgentFees,
        SetFeeDestination,
        Register
    }

    IMarket public immutable market;
    bool internal immutable _everyoneTakesEther;
    address[] public people;
    address[] public agents;

    mapping(address agent => uint256) public supplyOf;
    mapping(address agent => mapping(address holder => uint256)) public ticketsOf;
    mapping(address agent => uint256) public feesOf;
    mapping(address agent => uint256) public withdrewAt;
    mapping(address agent => address) public destinationOf;
    uint256 public protocolFees;
    uint256 public forcedEther;
    uint256 public protocolBps = 500;
    uint256 public agentBps = 500;
    address public owner = address(0xA11CE);
    bool public paused;

    mapping(address who => Reentry) internal _reentryOf;
    mapping(address who => address) internal _reentryDestination;

    /// @dev Number of times that each action succeeded: a history without actions proves nothing.
    mapping(string action => uint256) public done;

    /// @dev With `everyoneTakesEther`, no receiver refuses ether, so no payment fails.
    constructor(IMarket market_, bool everyoneTakesEther) {
        market = market_;
        _everyoneTakesEther = everyoneTakesEther;
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

    function person(uint256 seed) internal view returns (address) {
        return people[seed % PEOPLE];
    }

    function someAgent(uint256 seed) internal view returns (address) {
        return agents[seed % agents.length];
    }

    function nextName() internal view returns (string memory) {
        return string.concat("agent-", vm.toString(agents.length));
    }

    function quote(uint256 supply, uint256 amount) internal view returns (uint256, uint256, uint256) {
        uint256 price = PlainCurve.price(supply, amount);
        return (price, price * protocolBps / 10_000, price * agentBps / 10_000);
    }

    function bookTrade(address agent, uint256 protocolFee, uint256 agentFee) internal {
        protocolFees += protocolFee;
        feesOf[agent] += agentFee;
    }

    function bookRegistration(address agent, address destination) internal {
        agents.push(agent);
        supplyOf[agent] = 1;
        ticketsOf[agent][agent] = 1;
        destinationOf[agent] = destination;
    }

    function refusesEther(address who) internal view returns (bool) {
        if (who.code.length == 0) return false;
        Receiver.Mood mood = Receiver(payable(who)).mood();
        return mood != Receiver.Mood.Takes && mood != Receiver.Mood.Calls;
    }

    function expectPaymentFailed(address to, uint256 amount) internal {
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.PaymentFailed.selector, to, amount));
    }

    // ----------------------------------------------------------------------------------------------- REENTRANCY

    /// @dev From now on, the contract `who` calls the market while it is paid.
    function planReentry(address who, Reentry reentry, address agent, address destination) internal {
        bytes memory call = abi.encodeCall(market.setFeeDestination, (destination));
        if (reentry == Reentry.Buy) {
            call = abi.encodeWithSignature("buyTickets(address,uint256,uint256)", agent, 1, type(uint256).max);
        } else if (reentry == Reentry.Sell) {
            call = abi.encodeWithSignature("sellTickets(address,uint256,uint256)", agent, 1, 1);
        } else if (reentry == Reentry.RegisterWithTickets) {
            call = abi.encodeWithSignature(
                "registerAgent(string,string,address,uint256,uint256)", "reentrant", "reentrant", who, 0, 0
            );
        } else if (reentry == Reentry.WithdrawAgentFees) {
            call = abi.encodeCall(market.withdrawAgentFees, ());
        } else if (reentry == Reentry.Register) {
            string memory name = nextName();
            call = abi.encodeWithSignature("registerAgent(string,string,address)", name, name, destination);
        }
        Receiver(payable(who)).callBack(address(market), call);
        (_reentryOf[who], _reentryDestination[who]) = (reentry, destination);
    }

    /// @dev Checks the call that `who` made while it was paid, and adds its effect to the expected state. Each planned call runs once.
    function bookReentry(address who) internal {
        if (who.code.length == 0) return;
        Receiver receiver = Receiver(payable(who));
        if (receiver.mood() != Receiver.Mood.Calls || !receiver.called()) return;
        (bool succeeded, bytes memory answer) = (receiver.callSucceeded(), receiver.callAnswer());
        receiver.become(Receiver.Mood.Takes);
        (Reentry reentry, address destination) = (_reentryOf[who], _reentryDestination[who]);
        if (reentry < Reentry.SetFeeDestination) {
            bytes memory refusal = abi.encodeWithSelector(ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector);
            vm.assertEq(answer, refusal, "reentrancy");
            ++done["refusedReentry"];
        } else if (reentry == Reentry.SetFeeDestination) {
            vm.assertTrue(succeeded == (supplyOf[who] != 0), "an agent sets its destination at any time");
            if (!succeeded) return;
            destinationOf[who] = destination;
            ++done["setFeeDestinationWhilePaid"];
        } else if (succeeded) {
            vm.assertTrue(supplyOf[who] == 0 && !paused, "a registration that the market must refuse");
            bookRegistration(who, destination);
            ++done["registerWhilePaid"];
        }
    }
}
