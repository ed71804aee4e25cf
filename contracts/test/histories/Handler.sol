// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IMarket} from "../support/IMarket.sol";
import {Crowd} from "./Crowd.sol";
import {OwnerActions} from "./OwnerActions.sol";
import {TraderActions} from "./TraderActions.sol";

/// @dev All actions. forge calls them in any order; a test draws them from a seed.
contract Handler is TraderActions, OwnerActions {
    constructor(IMarket market_, bool everyoneTakesEther) Crowd(market_, everyoneTakesEther) {}
}

/// @dev Draws actions from a seed. Trades are the most frequent.
library Draw {
    function act(Handler handler, uint256 seed) internal {
        (uint256 a, uint256 b, uint256 choice) = (seed >> 64, seed >> 128, (seed >> 192) % 26);
        if (choice == 0) handler.register(seed, a);
        else if (choice == 1) handler.registerWithTickets(seed, a, b, seed);
        else if (choice < 5) handler.buy(seed, a, b);
        else if (choice < 8) handler.buyWithSurplus(seed, a, b, seed);
        else if (choice < 10) handler.sell(seed, a, b);
        else if (choice == 10) handler.sellAll(seed, a);
        else if (choice == 11) handler.withdrawAgentFees(seed);
        else if (choice == 12) handler.withdrawProtocolFees(seed);
        else if (choice == 13) handler.setFeeDestination(seed, a);
        else if (choice == 14) handler.changeMood(seed, a);
        else if (choice < 17) handler.reenter(seed, a, b, seed);
        else if (choice == 17) handler.proposeFees(seed, a);
        else if (choice == 18) handler.applyFees();
        else if (choice == 19) handler.cancelFees(seed);
        else if (choice == 20) seed % 3 == 0 ? handler.pause(a) : handler.unpause();
        else if (choice == 21) handler.offerOwnership(seed);
        else if (choice == 22) handler.acceptOwnership(seed);
        else if (choice == 23) handler.forceEther(seed);
        else if (choice == 24) handler.tradeTooLate(seed, a, b);
        else handler.wait(a);
    }
}
