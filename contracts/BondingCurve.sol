// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title The price of tickets
/// @notice Ticket number i, counted from 0, costs i^2 / 50000 ether. Pure arithmetic: no state, no fees.
library BondingCurve {
    /// @notice The share of one ether that one square costs is 1 / DIVISOR.
    uint256 internal constant DIVISOR = 50_000;

    /// @notice What one square costs. 1 ether / 50000 has no remainder, so every price is a whole multiple of it.
    uint256 internal constant SQUARE_PRICE = 1 ether / DIVISOR;

    /// @notice Supply or amount is above 2^64 - 1, beyond any market that could exist.
    /// @param supply Number of tickets before the trade.
    /// @param amount Number of tickets of the trade.
    error OutOfCurve(uint256 supply, uint256 amount);

    /// @notice The sum of i^2 for i from supply to supply + amount - 1.
    /// @dev Closed form, so that 20 tickets cost the same gas as one.
    /// @param supply Number of tickets before the trade.
    /// @param amount Number of tickets of the trade.
    /// @return The sum.
    function squares(uint256 supply, uint256 amount) internal pure returns (uint256) {
        if (supply > type(uint64).max || amount > type(uint64).max) revert OutOfCurve(supply, amount);
        // Both are below 2^64: the two products stay below 2^193, and their sum times SQUARE_PRICE, which is below 2^45,
        // stays below 2^256. One of n, n - 1 and 2n - 1 divides by 3 and one of n, n - 1 by 2: the division leaves no
        // remainder. For an amount of 0 `last` wraps, but both products are 0.
        unchecked {
            uint256 last = amount - 1;
            return amount * supply * (supply + last) + (amount * last * (amount + last)) / 6;
        }
    }

    /// @notice Price of `amount` tickets at `supply`, without fees.
    /// @param supply Number of tickets before the trade.
    /// @param amount Number of tickets of the trade.
    /// @return The price in wei.
    function price(uint256 supply, uint256 amount) internal pure returns (uint256) {
        unchecked {
            return squares(supply, amount) * SQUARE_PRICE; // proven in squares
        }
    }
}
