// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// @dev Computes prices without the closed form of BondingCurve, so that tests can compare both.
library PlainCurve {
    /// @dev Price of `amount` tickets at `supply`, added up ticket by ticket.
    function price(uint256 supply, uint256 amount) internal pure returns (uint256 wei_) {
        for (uint256 i = supply; i < supply + amount; ++i) wei_ += i * i * 1 ether / 50_000;
    }

    /// @dev Price of all tickets of a supply, by the formula of textbooks: for supplies that take too long to add up.
    function total(uint256 supply) internal pure returns (uint256) {
        return (supply - 1) * supply * (2 * supply - 1) / 6 * 1 ether / 50_000;
    }
}
