// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {TicketMarket} from "../../TicketMarket.sol";

/// @dev The market with functions that set states which trading alone would take too long to reach.
contract MarketAt is TicketMarket {
    constructor(address initialOwner, uint256 protocolBps, uint256 agentBps)
        TicketMarket(initialOwner, protocolBps, agentBps)
    {}

    function setMarket(address agent, address holder, uint32 supply, uint56 pendingFeeUnits) external {
        _balances[agent][holder] += supply - _markets[agent].supply;
        _markets[agent].supply = supply;
        _markets[agent].pendingFeeUnits = pendingFeeUnits;
    }

    function setProtocolFeeUnits(uint56 units) external {
        _protocolFeeUnits = units;
    }
}
