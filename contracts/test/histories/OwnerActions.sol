// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IMarketErrors} from "../../IMarketErrors.sol";
import {vm} from "../support/Vm.sol";
import {Crowd} from "./Crowd.sol";

/// @dev What the owner may do, and what anyone can do to the market's ether from outside.
abstract contract OwnerActions is Crowd {
    address[3] private _owners = [address(0xA11CE), address(0xA11CE2), address(0xA11CE3)];
    address private _pendingOwner;
    uint256 private _proposedProtocolBps;
    uint256 private _proposedAgentBps;
    uint256 private _proposedAt;

    function withdrawProtocolFees(uint256 seed) public {
        if (protocolFees == 0) return;
        address to = person(seed);
        bool fails = refusesEther(to);
        if (fails) expectPaymentFailed(to, protocolFees);
        uint256 before = to.balance;
        vm.prank(owner);
        market.withdrawProtocolFees{gas: 1_000_000}(to);
        if (fails) return;
        vm.assertEq(to.balance - before, protocolFees, "protocol fees");
        protocolFees = 0;
        bookReentry(to);
        ++done["withdrawProtocolFees"];
    }

    function proposeFees(uint256 newProtocolBps, uint256 newAgentBps) public {
        newProtocolBps %= 1001;
        newAgentBps %= 1001 - newProtocolBps;
        bool replaces = _proposedAt != 0;
        bool fails = replaces && block.timestamp <= _proposedAt + 14 days;
        if (fails) {
            bytes4 refusal = IMarketErrors.FeeUpdateAlreadyPending.selector;
            vm.expectRevert(abi.encodeWithSelector(refusal, _proposedAt + 48 hours));
        }
        vm.prank(owner);
        market.proposeFeeUpdate(newProtocolBps, newAgentBps);
        if (fails) return;
        (_proposedProtocolBps, _proposedAgentBps, _proposedAt) = (newProtocolBps, newAgentBps, block.timestamp);
        ++done[replaces ? "replaceFees" : "proposeFees"];
    }

    function applyFees() public {
        bool fails = true;
        if (_proposedAt == 0) {
            vm.expectRevert(abi.encodeWithSelector(IMarketErrors.NoPendingFeeUpdate.selector));
        } else if (block.timestamp < _proposedAt + 48 hours) {
            vm.expectRevert(abi.encodeWithSelector(IMarketErrors.FeeUpdateTooEarly.selector, _proposedAt + 48 hours));
        } else if (block.timestamp > _proposedAt + 14 days) {
            vm.expectRevert(abi.encodeWithSelector(IMarketErrors.FeeUpdateExpired.selector, _proposedAt + 14 days));
            ++done["applyTooLate"];
        } else {
            fails = false;
        }
        vm.prank(owner);
        market.applyFeeUpdate();
        if (fails) return;
        (protocolBps, agentBps, _proposedAt) = (_proposedProtocolBps, _proposedAgentBps, 0);
        ++done["applyFees"];
    }

    /// @dev Rare, so that some proposals are applied.
    function cancelFees(uint256 seed) public {
        if (_proposedAt == 0 || seed % 4 != 0) return;
        vm.prank(owner);
        market.cancelFeeUpdate();
        _proposedAt = 0;
        ++done["cancelFees"];
    }

    function pause(uint256 seed) public {
        if (paused || seed % 8 != 0) return;
        vm.prank(owner);
        market.pause();
        paused = true;
        ++done["pause"];
    }

    function unpause() public {
        if (!paused) return;
        vm.prank(owner);
        market.unpause();
        paused = false;
        ++done["unpause"];
    }

    function offerOwnership(uint256 seed) public {
        _pendingOwner = _owners[seed % 3];
        vm.prank(owner);
        market.transferOwnership(_pendingOwner);
        ++done["offerOwnership"];
    }

    /// @dev Rare, so that some proposals are applied.
    function acceptOwnership(uint256 seed) public {
        if (_pendingOwner == address(0) || seed % 4 != 0) return;
        vm.prank(_pendingOwner);
        market.acceptOwnership();
        ++done[_proposedAt == 0 ? "acceptOwnership" : "acceptOwnershipWithAProposal"];
        (owner, _pendingOwner, _proposedAt) = (_pendingOwner, address(0), 0);
    }

    /// @dev Creates a contract of two instructions that destroys itself: PUSH20 market, SELFDESTRUCT.
    function forceEther(uint256 amount) public {
        amount = 1 + amount % 1 ether;
        vm.deal(address(this), amount);
        bytes memory code = abi.encodePacked(hex"73", address(market), hex"ff");
        address created;
        assembly {
            created := create(amount, add(code, 0x20), mload(code))
        }
        vm.assertTrue(created != address(0), "created");
        forcedEther += amount;
        ++done["forceEther"];
    }
}
