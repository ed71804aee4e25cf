// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ITicketMarket} from "../../ITicketMarket.sol";

/// @dev A wallet that is a contract. A test can change how it reacts to received ether.
contract Receiver {
    enum Mood {
        Takes,
        Reverts,
        RevertsLoudly,
        BurnsAllGas,
        Calls
    }

    error Loud(string message);

    Mood public mood;
    address private _target;
    bytes private _data;
    bool public called;
    bool public callSucceeded;
    bytes public callAnswer;

    function become(Mood newMood) external {
        mood = newMood;
    }

    /// @dev From now on, the wallet makes this call when it receives ether. It accepts the ether even if the call
    /// fails.
    function callBack(address target, bytes calldata data) external {
        mood = Mood.Calls;
        (_target, _data, called, callSucceeded) = (target, data, false, false);
    }

    receive() external payable {
        if (mood == Mood.Reverts) revert();
        if (mood == Mood.RevertsLoudly) revert Loud(string(new bytes(10_000)));
        if (mood == Mood.BurnsAllGas) while (true) called = !called;
        if (mood == Mood.Calls) {
            called = true;
            (callSucceeded, callAnswer) = _target.call(_data);
        }
    }
}

/// @dev Reads the state of a market while the market pays it, and emits an event with that state.
contract Witness {
    event Paid(uint256 amount);

    struct Sight {
        uint256 ether_;
        uint256 balance;
        uint256 supply;
        uint256 buyPrice;
        uint256 agentFees;
        uint256 protocolFees;
        uint256 nextWithdrawal;
    }

    ITicketMarket private immutable _market;
    address private immutable _agent;
    Sight private _seen;

    constructor(ITicketMarket market, address agent) {
        (_market, _agent) = (market, agent);
    }

    function seen() external view returns (Sight memory) {
        return _seen;
    }

    /// @dev The state that a market could wrongly change only after the payment.
    function look() public view returns (Sight memory) {
        return Sight({
            ether_: address(_market).balance,
            balance: _market.ticketBalance(_agent, address(this)),
            supply: _market.totalSupply(_agent),
            buyPrice: _market.getBuyPrice(_agent, 1),
            agentFees: _market.pendingAgentFees(_agent),
            protocolFees: _market.pendingProtocolFees(),
            nextWithdrawal: _market.nextWithdrawal(_agent)
        });
    }

    receive() external payable {
        _seen = look();
        emit Paid(msg.value);
    }
}
