// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {TicketMarket} from "../../TicketMarket.sol";
import {Vm} from "../support/Vm.sol";

/// @dev Writes the storage of a market from its logs alone. The signatures are written out, not taken from the interface.
/// A proposal of fees ends only by a log: the replica does not repeat what the market does at a transfer of ownership.
contract Replica is TicketMarket {
    uint256 private constant UNIT = 2 gwei;

    constructor() TicketMarket(address(1), 0, 0) {}

    function replay(Vm.Log calldata log) external {
        bytes32 kind = log.topics[0];
        if (kind == keccak256("AgentRegistered(address,string,string,uint256)")) registered(log);
        else if (isTrade(kind, "TicketsBought")) traded(log, true);
        else if (isTrade(kind, "TicketsSold")) traded(log, false);
        else if (kind == keccak256("AgentFeesWithdrawn(address,uint256,uint256)")) agentFeesWithdrawn(log);
        else if (kind == keccak256("ProtocolFeesWithdrawn(address,uint256,uint256)")) _protocolFeeUnits = 0;
        else if (kind == keccak256("FeeDestinationChanged(address,address)")) destinationChanged(log);
        else if (kind == keccak256("FeeUpdateProposed(uint256,uint256,uint256)")) proposed(log);
        else if (kind == keccak256("FeeUpdateCancelled(uint256,uint256)")) delete _feeUpdate;
        else if (kind == keccak256("FeesChanged(uint256,uint256)")) feesChanged(log);
        else if (kind == keccak256("Paused(address)")) _pause();
        else if (kind == keccak256("Unpaused(address)")) _unpause();
        else if (kind == keccak256("OwnershipTransferStarted(address,address)")) transferOwnership(second(log));
        else if (kind == keccak256("OwnershipTransferred(address,address)")) Ownable2Step._transferOwnership(second(log));
        else revert("a log of no known kind");
    }

    function registered(Vm.Log calldata log) private {
        address agent = first(log);
        (string memory name, string memory agentId, uint256 timestamp) = abi.decode(log.data, (string, string, uint256));
        _registrations[keccak256(bytes(agentId))] = Registration(agent, uint64(timestamp));
        _markets[agent] = Market({supply: 1, pendingFeeUnits: 0, lastWithdrawal: 0, name: bytes16(bytes(name))});
        _balances[agent][agent] = 1;
        ++_agentCounter;
    }

    function traded(Vm.Log calldata log, bool bought) private {
        (address trader, address agent) = (first(log), second(log));
        (uint256 amount,, uint256 protocolFee, uint256 agentFee, uint256 supply,) =
            abi.decode(log.data, (uint256, uint256, uint256, uint256, uint256, uint256));
        if (bought) _balances[agent][trader] += amount;
        else _balances[agent][trader] -= amount;
        _markets[agent].supply = uint32(supply);
        _markets[agent].pendingFeeUnits += uint56(agentFee / UNIT);
        _protocolFeeUnits += uint56(protocolFee / UNIT);
    }

    function agentFeesWithdrawn(Vm.Log calldata log) private {
        (, uint256 timestamp) = abi.decode(log.data, (uint256, uint256));
        _markets[first(log)].pendingFeeUnits = 0;
        _markets[first(log)].lastWithdrawal = uint40(timestamp);
    }

    function destinationChanged(Vm.Log calldata log) private {
        _feeDestinations[first(log)] = first(log) == second(log) ? address(0) : second(log);
    }

    function proposed(Vm.Log calldata log) private {
        (uint256 protocolBps, uint256 agentBps, uint256 applicableAt) = abi.decode(log.data, (uint256, uint256, uint256));
        _feeUpdate = FeeUpdate(uint16(protocolBps), uint16(agentBps), uint64(applicableAt));
    }

    function feesChanged(Vm.Log calldata log) private {
        (uint256 protocolBps, uint256 agentBps) = abi.decode(log.data, (uint256, uint256));
        (_protocolBps, _agentBps) = (uint16(protocolBps), uint16(agentBps));
        delete _feeUpdate;
    }

    /// @dev Allows any caller to replay the log of an ownership transfer, which only the owner may start in a market.
    function _checkOwner() internal view override {}

    function isTrade(bytes32 kind, string memory name) private pure returns (bool) {
        string memory parameters = "(address,address,uint256,uint256,uint256,uint256,uint256,uint256)";
        return kind == keccak256(bytes(string.concat(name, parameters)));
    }

    function first(Vm.Log calldata log) private pure returns (address) {
        return address(uint160(uint256(log.topics[1])));
    }

    function second(Vm.Log calldata log) private pure returns (address) {
        return address(uint160(uint256(log.topics[2])));
    }
}
