// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// @dev A wallet that is a contract. What it does with ether that it is sent can be changed.
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

    /// @dev From now on it makes this call when it is sent ether, and takes the ether whatever the call answers.
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
