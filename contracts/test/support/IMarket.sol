// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ITicketMarket} from "../../ITicketMarket.sol";

/// @dev All functions of a deployed market, with those of OpenZeppelin and the constants. The tests import no contract, so
/// that a mutant of the contract does not compile them again.
interface IMarket is ITicketMarket {
    function DIVISOR() external view returns (uint256);
    function MAX_TICKETS_PER_TRADE() external view returns (uint256);
    function MAX_FEE_PERCENT() external view returns (uint256);
    function FEE_UPDATE_DELAY() external view returns (uint256);
    function FEE_UPDATE_GRACE() external view returns (uint256);
    function MIN_WITHDRAWAL() external view returns (uint256);
    function WITHDRAWAL_COOLDOWN() external view returns (uint256);
    function owner() external view returns (address);
    function pendingOwner() external view returns (address);
    function paused() external view returns (bool);
    function transferOwnership(address newOwner) external;
    function acceptOwnership() external;
    function renounceOwnership() external;
}

/// @dev The market with the functions that MarketAt adds for tests.
interface IMarketAt is IMarket {
    function setMarket(address agent, address holder, uint32 supply, uint56 pendingFeeUnits) external;
    function setProtocolFeeUnits(uint56 units) external;
}
