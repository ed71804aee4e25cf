// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {IMarketErrors} from "../IMarketErrors.sol";
import {ITicketBook} from "../ITicketBook.sol";
import {ITicketMarket} from "../ITicketMarket.sol";
import {MarketTest} from "./support/Base.sol";
import {vm} from "./support/Vm.sol";

contract RegistrationTest is MarketTest {
    address internal constant NEW = address(0x2E3);

    function test_mintsTheFirstTicketFreeToTheAgent() public {
        vm.expectEmit(address(market));
        emit ITicketMarket.AgentRegistered(NEW, "New-Agent_ 42", "new-agent__42", START);
        register(NEW, "New-Agent_ 42", "new-agent__42");

        vm.assertEq(market.totalSupply(NEW), 1, "supply");
        vm.assertEq(market.ticketBalance(NEW, NEW), 1, "the agent's own balance");
        vm.assertEq(address(market).balance, 0, "the market's ether");
        vm.assertEq(market.agentOf(keccak256("new-agent__42")), NEW, "agentOf");
    }

    function test_keepsTheNameAndDerivesTheAgentId() public {
        vm.warp(START + 5);
        register(NEW, "ABC xyz_0-9 Zz", "abc_xyz_0-9_zz");
        ITicketBook.AgentInfo memory info = market.agentInfo(NEW);
        vm.assertTrue(info.registered, "registered");
        vm.assertEq(info.name, "ABC xyz_0-9 Zz", "name");
        vm.assertEq(info.agentId, "abc_xyz_0-9_zz", "agentId");
        vm.assertEq(info.registeredAt, START + 5, "registeredAt");
        vm.assertEq(info.feeDestination, NEW, "feeDestination");
        vm.assertEq(info.supply, 1, "supply");
        vm.assertEq(info.pendingFees, 0, "pendingFees");
        vm.assertEq(info.lastWithdrawal, 0, "lastWithdrawal");
    }

    function test_keepsAnotherFeeDestination() public {
        vm.prank(NEW);
        market.registerAgent("New", "new", OTHER);
        vm.assertEq(market.feeDestinationOf(NEW), OTHER, "feeDestinationOf");
        vm.assertEq(market.agentInfo(NEW).feeDestination, OTHER, "agentInfo");
    }

    function test_takesTheShortestAndTheLongestName() public {
        register(NEW, "ab", "ab");
        register(OTHER, "Fifteen Letters", "fifteen_letters");
        vm.assertEq(market.agentInfo(NEW).name, "ab", "shortest");
        vm.assertEq(market.agentInfo(OTHER).name, "Fifteen Letters", "longest");
        vm.assertEq(market.agentInfo(OTHER).agentId, "fifteen_letters", "longest agentId");
    }

    function test_refusesANameOfTheWrongLength() public {
        expectLength(0);
        register(NEW, "", "");
        expectLength(1);
        register(NEW, "a", "a");
        expectLength(16);
        register(NEW, "sixteen letters!", "sixteen_letters!");
        expectLength(40);
        register(NEW, "abcdefghijabcdefghijabcdefghijabcdefghij", "abcdefghijabcdefghijabcdefghijabcdefghij");
    }

    function test_refusesAnythingButTheAllowedCharacters() public {
        bytes memory name = "axb";
        uint256 allowed = 0;
        for (uint256 char = 0; char < 256; ++char) {
            name[1] = bytes1(uint8(char));
            if (isAllowed(char)) {
                ++allowed;
                continue;
            }
            expectCharacter(1);
            register(NEW, string(name), string(name));
        }
        vm.assertEq(allowed, 26 + 26 + 10 + 3, "allowed characters");
    }

    function test_takesEachAllowedCharacter() public {
        bytes memory name = "axb";
        bytes memory agentId = "axb";
        uint160 agent = 0x10000;
        for (uint256 char = 0; char < 256; ++char) {
            if (!isAllowed(char) || (char >= 65 && char <= 90) || char == 32) continue;
            name[1] = agentId[1] = bytes1(uint8(char));
            register(address(++agent), string(name), string(agentId));
            vm.assertEq(market.agentInfo(address(agent)).name, string(name), "name");
        }
        vm.assertEq(uint256(agent) - 0x10000, 26 + 10 + 2, "names taken");
    }

    function test_derivesEachCapitalLetter() public {
        bytes memory name = "xx";
        bytes memory agentId = "xx";
        for (uint8 i = 0; i < 26; ++i) {
            name[1] = bytes1(65 + i);
            agentId[1] = bytes1(97 + i);
            register(address(uint160(0x20000) + i), string(name), string(agentId));
        }
        vm.assertEq(market.agentCount(), 27, "agents");
    }

    function test_refusesALeadingTrailingOrDoubledSpace() public {
        expectCharacter(0);
        register(NEW, " ab", "_ab");
        expectCharacter(2);
        register(NEW, "ab ", "ab_");
        expectCharacter(2);
        register(NEW, "a  b", "a__b");
        register(NEW, "a b c", "a_b_c");
    }

    function test_refusesAnAgentIdThatIsNotTheDerivedOne() public {
        string[7] memory wrong = ["New Agent", "new agent", "new-agent", "newagent", "new_agenT", "new_agen", "new_agents"];
        for (uint256 i = 0; i < wrong.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IMarketErrors.AgentIdMismatch.selector, "New Agent", wrong[i]));
            register(NEW, "New Agent", wrong[i]);
        }
        // Null bytes pad a packed name. An agentId with null bytes would have another hash, so the market must refuse
        // it.
        string[2] memory padded = [string(hex"6e65775f6167656e7400"), string(hex"6e65775f6167656e7400000000000000616263")];
        for (uint256 i = 0; i < padded.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IMarketErrors.AgentIdMismatch.selector, "New Agent", padded[i]));
            register(NEW, "New Agent", padded[i]);
        }
        register(NEW, "New Agent", "new_agent");
    }

    function test_refusesATakenAgentId() public {
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.AgentIdTaken.selector, "agent_one", AGENT));
        register(NEW, "AGENT ONE", "agent_one");
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.AgentIdTaken.selector, "agent_one", AGENT));
        register(NEW, "agent_one", "agent_one");
    }

    function test_refusesASecondRegistrationOfAWallet() public {
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.AgentAlreadyRegistered.selector, AGENT));
        register(AGENT, "Agent Two", "agent_two");
    }

    function test_refusesNoFeeDestination() public {
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.ZeroAddress.selector));
        vm.prank(NEW);
        market.registerAgent("New", "new", address(0));
    }

    function test_stopsWhilePaused() public {
        vm.prank(OWNER);
        market.pause();
        vm.expectRevert(abi.encodeWithSelector(Pausable.EnforcedPause.selector));
        register(NEW, "New", "new");
        vm.prank(OWNER);
        market.unpause();
        register(NEW, "New", "new");
    }

    function test_leavesNothingBehindWhenItRefuses() public {
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.AgentIdTaken.selector, "agent_one", AGENT));
        register(NEW, "Agent One", "agent_one");
        vm.assertEq(market.agentCount(), 1, "agents");
        vm.assertTrue(!market.agentInfo(NEW).registered, "registered");
    }

    /// @dev For any bytes, the market accepts exactly the names that a second implementation of the rules accepts.
    function testFuzz_takesExactlyTheNamesOfTheRules(bytes32 random, uint256 length, bool plausible) public {
        bytes memory name = new bytes(bound(length, 0, 17));
        bytes memory alphabet = "abyzABYZ0189_- ";
        for (uint256 i = 0; i < name.length; ++i) {
            name[i] = plausible ? alphabet[uint8(random[i]) % alphabet.length] : random[i];
        }
        bytes memory agentId = derive(name);
        bool valid = name.length >= 2 && name.length <= 15 && name[0] != " " && name[name.length - 1] != " ";
        for (uint256 i = 0; i < name.length; ++i) {
            if (!isAllowed(uint8(name[i])) || (i > 0 && name[i] == " " && name[i - 1] == " ")) valid = false;
        }
        vm.prank(NEW);
        try market.registerAgent(string(name), string(agentId), NEW) {
            vm.assertTrue(valid, "took a name that is none");
            vm.assertEq(market.agentInfo(NEW).name, string(name), "name");
            vm.assertEq(market.agentInfo(NEW).agentId, string(agentId), "agentId");
            vm.assertEq(market.agentOf(keccak256(agentId)), NEW, "agentOf");
        } catch {
            vm.assertTrue(!valid, "refused a good name");
        }
    }

    function isAllowed(uint256 char) private pure returns (bool) {
        return (char >= 97 && char <= 122) || (char >= 65 && char <= 90) || (char >= 48 && char <= 57) || char == 32
            || char == 45 || char == 95;
    }

    function derive(bytes memory name) private pure returns (bytes memory agentId) {
        agentId = new bytes(name.length);
        for (uint256 i = 0; i < name.length; ++i) {
            uint8 char = uint8(name[i]);
            if (char >= 65 && char <= 90) char += 32;
            if (char == 32) char = 95;
            agentId[i] = bytes1(char);
        }
    }

    function expectLength(uint256 length) private {
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.InvalidNameLength.selector, length));
    }

    function expectCharacter(uint256 position) private {
        vm.expectRevert(abi.encodeWithSelector(IMarketErrors.InvalidNameCharacter.selector, position));
    }
}
