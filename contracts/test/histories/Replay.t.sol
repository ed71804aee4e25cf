// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {deploy} from "../support/Deploy.sol";
import {IMarket} from "../support/IMarket.sol";
import {Vm, vm} from "../support/Vm.sol";
import {Draw, Handler} from "./Handler.sol";

interface IReplica is IMarket {
    function replay(Vm.Log calldata log) external;
}

/// @dev The logs contain the whole state of the market: a replica that reads nothing else has the same storage.
contract ReplayTest {
    uint256 private constant ACTIONS = 60;

    IMarket private _market;
    Handler private _handler;
    IReplica private _replica;

    /// @dev Recording begins before the deployment, whose logs set owner and fees.
    function setUp() public {
        vm.warp(1_800_000_000);
        _replica = IReplica(deploy("Replica.sol:Replica", ""));
    }

    function testFuzz_logsRebuildEveryWordOfStorage(uint256 seed) public {
        vm.record();
        vm.recordLogs();
        _market = IMarket(deploy("TicketMarket.sol:TicketMarket", abi.encode(address(0xA11CE), 500, 500)));
        // Everyone takes ether, so that no payment fails: forge also records the logs of reverted calls, which a chain does not.
        _handler = new Handler(_market, true);
        for (uint256 i = 0; i < ACTIONS; ++i) Draw.act(_handler, uint256(keccak256(abi.encode(seed, i))));
        (, bytes32[] memory written) = vm.accesses(address(_market));
        replayLogs();
        vm.assertLt(3, written.length, "words written");
        for (uint256 i = 0; i < written.length; ++i) {
            vm.assertEq(vm.load(address(_replica), written[i]), vm.load(address(_market), written[i]), "word of storage");
        }
        requireSameAnswers();
    }

    function replayLogs() private {
        Vm.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 i = 0; i < logs.length; ++i) {
            if (logs[i].emitter == address(_market)) _replica.replay(logs[i]);
        }
    }

    /// @dev Compares the answers of replica and market. A word of storage that only the replica wrote would change one of them.
    function requireSameAnswers() private view {
        vm.assertEq(_replica.owner(), _market.owner(), "owner");
        vm.assertEq(_replica.pendingOwner(), _market.pendingOwner(), "pending owner");
        vm.assertTrue(_replica.paused() == _market.paused(), "paused");
        vm.assertEq(_replica.agentCount(), _market.agentCount(), "agents");
        vm.assertEq(_replica.pendingProtocolFees(), _market.pendingProtocolFees(), "protocol fees");
        same(abi.encodeCall(_market.feeSplit, ()), "rates");
        same(abi.encodeCall(_market.pendingFeeUpdate, ()), "proposal");
        for (uint256 i = 0; i < _handler.peopleCount(); ++i) {
            address wallet = _handler.people(i);
            same(abi.encodeCall(_market.agentInfo, (wallet)), "agent");
            same(abi.encodeCall(_market.nextWithdrawal, (wallet)), "next withdrawal");
            for (uint256 j = 0; j < _handler.peopleCount(); ++j) {
                same(abi.encodeCall(_market.ticketBalance, (wallet, _handler.people(j))), "balance");
            }
        }
    }

    function same(bytes memory call, string memory what) private view {
        (, bytes memory expected) = address(_market).staticcall(call);
        (, bytes memory actual) = address(_replica).staticcall(call);
        vm.assertEq(actual, expected, what);
    }
}
