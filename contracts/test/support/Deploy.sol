// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {vm} from "./Vm.sol";

/// @dev Deploys a contract by the name of its artifact, such as "TicketMarket.sol:TicketMarket". Reverts as its
/// constructor does.
function deploy(string memory artifact, bytes memory arguments) returns (address deployed) {
    bytes memory code = abi.encodePacked(vm.getCode(artifact), arguments);
    assembly {
        deployed := create(0, add(code, 0x20), mload(code))
        if iszero(deployed) {
            returndatacopy(0, 0, returndatasize())
            revert(0, returndatasize())
        }
    }
}
