// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// A contract wallet of the tests. It is deployed as a contract, or delegated to by an account (EIP-7702). What it answers to
/// isValidSignature is in its code, because a delegation uses the storage of the account.
contract ContractWallet {
    enum Behaviour {
        AcceptOwner, // accepts a 65-byte signature of the owner
        AcceptAll,
        Refuse, // answers 0xffffffff
        WrongMagic, // answers the magic value with a wrong last bit
        DirtyPadding, // answers the magic value with a bit set behind it
        Unpadded, // answers the magic value in 4 bytes
        Longer, // answers the magic value with a second word
        Empty, // answers no data
        Echo, // answers its input, which begins with the magic value
        Huge, // answers as many words as its gas pays for
        Revert,
        RevertWithMagic, // reverts with the magic value as data
        Invalid, // stops with an invalid instruction
        Burn // uses all gas
    }

    bytes32 private constant MAGIC = bytes32(bytes4(0x1626ba7e));

    address private immutable owner;
    Behaviour private immutable behaviour;

    constructor(address owner_, Behaviour behaviour_) {
        owner = owner_;
        behaviour = behaviour_;
    }

    receive() external payable {}

    function execute(address to, bytes calldata data) external payable {
        (bool done, bytes memory result) = to.call{value: msg.value}(data);
        if (!done) assembly { revert(add(result, 32), mload(result)) }
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        if (behaviour == Behaviour.AcceptOwner) {
            if (signature.length != 65) return 0xffffffff;
            address signer =
                ecrecover(hash, uint8(signature[64]), bytes32(signature[0:32]), bytes32(signature[32:64]));
            return signer == owner ? bytes4(MAGIC) : bytes4(0xffffffff);
        }
        if (behaviour == Behaviour.AcceptAll) return bytes4(MAGIC);
        if (behaviour == Behaviour.Refuse) return 0xffffffff;
        if (behaviour == Behaviour.WrongMagic) return 0x1626ba7f;
        if (behaviour == Behaviour.DirtyPadding) answer(MAGIC | bytes32(uint256(1)), 32);
        if (behaviour == Behaviour.Unpadded) answer(MAGIC, 4);
        if (behaviour == Behaviour.Longer) answer(MAGIC, 64);
        if (behaviour == Behaviour.Empty) answer(0, 0);
        if (behaviour == Behaviour.Echo) {
            assembly {
                calldatacopy(0, 0, calldatasize())
                return(0, calldatasize())
            }
        }
        if (behaviour == Behaviour.Huge) {
            // A call with 1 million gas can return 680,000 bytes.
            answer(MAGIC, 680_000);
        }
        if (behaviour == Behaviour.RevertWithMagic) {
            bytes32 magic = MAGIC;
            assembly {
                mstore(0, magic)
                revert(0, 32)
            }
        }
        if (behaviour == Behaviour.Invalid) {
            assembly { invalid() }
        }
        while (behaviour == Behaviour.Burn) {}
        revert("refused");
    }

    function answer(bytes32 word, uint256 size) private pure {
        assembly {
            mstore(0, word)
            mstore(32, 0)
            return(0, size)
        }
    }
}
