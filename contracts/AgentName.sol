// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IMarketErrors} from "./IMarketErrors.sol";

/// @title The rules of names
/// @notice A name has 2-15 letters, digits, spaces, underscores and hyphens, and no leading, trailing or doubled space.
/// Its agentId is the name in lower case with underscores for spaces.
library AgentName {
    uint256 internal constant MIN_LENGTH = 2;
    uint256 internal constant MAX_LENGTH = 15;

    // Sets of characters: bit c stands for the character of code c.
    uint256 private constant CAPITALS = (2 ** 26 - 1) << 65;
    uint256 private constant SMALL = (2 ** 26 - 1) << 97;
    uint256 private constant DIGITS = (2 ** 10 - 1) << 48;
    uint256 private constant SPACE = 1 << 32;
    uint256 private constant HYPHEN = 1 << 45;
    uint256 private constant UNDERSCORE = 1 << 95;
    uint256 private constant ALLOWED = CAPITALS | SMALL | DIGITS | SPACE | HYPHEN | UNDERSCORE;

    /// @notice Checks a name and the agentId that was given with it, and packs the name into half a slot.
    /// @dev No allowed character is the null byte, so a packed name ends at the first one.
    /// @param name The name.
    /// @param agentId The agentId, which must be the one derived from the name.
    /// @return packed The bytes of the name, followed by null bytes.
    function pack(string calldata name, string calldata agentId) internal pure returns (bytes16 packed) {
        uint256 length = bytes(name).length;
        if (length < MIN_LENGTH || length > MAX_LENGTH) revert IMarketErrors.InvalidNameLength(length);
        packed = bytes16(bytes(name));
        if (bytes(agentId).length != length || bytes16(bytes(agentId)) != toAgentId(packed, length)) {
            revert IMarketErrors.AgentIdMismatch(name, agentId);
        }
    }

    /// @notice Restores a packed text.
    /// @param packed Bytes of the text, followed by null bytes.
    /// @return The text.
    function unpack(bytes16 packed) internal pure returns (string memory) {
        bytes memory text = new bytes(lengthOf(packed));
        for (uint256 i = 0; i < text.length; ++i) text[i] = packed[i];
        return string(text);
    }

    /// @notice The agentId that belongs to a packed name.
    /// @param packed The name, as packed.
    /// @return The agentId.
    function agentIdOf(bytes16 packed) internal pure returns (string memory) {
        return unpack(toAgentId(packed, lengthOf(packed)));
    }

    /// @dev Counts the bytes before the first null byte.
    /// @param packed The name, as packed.
    /// @return length Length in bytes, at most 15.
    function lengthOf(bytes16 packed) private pure returns (uint256 length) {
        while (packed[length] != 0) ++length; // ends at 15 at the latest: a name never fills the last byte
    }

    /// @dev The only place of the rules of names: every name that is stored has passed it.
    /// @param name The name, followed by null bytes.
    /// @param length Length of the name in bytes.
    /// @return The agentId, followed by null bytes.
    function toAgentId(bytes16 name, uint256 length) private pure returns (bytes16) {
        uint256 agentId = 0;
        uint256 allowed = ALLOWED ^ SPACE; // no space at the start
        for (uint256 i = 0; i < length; ++i) {
            uint256 char = uint8(name[i]);
            uint256 set = 1 << char;
            if (set & allowed == 0) revert IMarketErrors.InvalidNameCharacter(i);
            allowed = ALLOWED;
            if (set & CAPITALS != 0) {
                char |= 0x20; // the one bit that makes a capital letter small
            } else if (set == SPACE) {
                char = 0x5f; // underscore
                allowed = ALLOWED ^ SPACE; // none after another
            }
            agentId = (agentId << 8) | char;
        }
        if (allowed != ALLOWED) revert IMarketErrors.InvalidNameCharacter(length - 1);
        return bytes16(uint128(agentId << (128 - 8 * length)));
    }
}
