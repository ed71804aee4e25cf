import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 as keccak } from '@noble/hashes/sha3.js';
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import { getPublicKey, hashes, sign, utils } from '@noble/secp256k1';

// The synchronous functions of the library need these two hash functions. The asynchronous ones use WebCrypto, which
// pages have only over HTTPS or on loopback.
hashes.sha256 = sha256;
hashes.hmacSha256 = (key, message) => hmac(sha256, key, message);

/** A transaction with a fee market (EIP-1559), without an access list. */
export type Transaction = {
  readonly chainId: bigint;
  readonly nonce: bigint;
  /** Maximum priority fee per unit of gas, in wei. */
  readonly tip: bigint;
  /** Maximum fee per unit of gas, in wei. */
  readonly maxFee: bigint;
  readonly gas: bigint;
  readonly to: string;
  readonly value: bigint;
  readonly data: string;
};

/** A new private key, in hexadecimal. */
export const newKey = (): string => bytesToHex(utils.randomSecretKey());

/**
 * The address of a private key: the last 20 bytes of the hash of its public key. The first byte of the key names its format, and is
 * not hashed.
 */
export const addressOfKey = (key: string): string =>
  `0x${bytesToHex(keccak(getPublicKey(hexToBytes(key), false).slice(1)).slice(-20))}`;

/** Signs a transaction. Returns it in the form that `eth_sendRawTransaction` takes. */
export function signTransaction(key: string, transaction: Transaction): string {
  const { chainId, nonce, tip, maxFee, gas, to, value, data } = transaction;
  const numbers = [chainId, nonce, tip, maxFee, gas].map(numberBytes);
  // The empty list at the end is the access list.
  const fields: Item[] = [...numbers, bytesOf(to), numberBytes(value), bytesOf(data), []];
  const hash = keccak(typed(fields));
  const signature = sign(hash, hexToBytes(key), { prehash: false, format: 'recovered' });
  // The library returns the recovery bit first, then r and s. The transaction needs the bit, r and s as separate fields.
  const [recovery = 0] = signature;
  const [r, s] = [signature.slice(1, 33), signature.slice(33)];
  return `0x${bytesToHex(typed([...fields, numberBytes(BigInt(recovery)), trimmed(r), trimmed(s)]))}`;
}

type Item = Uint8Array | readonly Item[];

/** Encodes a transaction of type 2 (EIP-1559): the byte 2, and then the list of its fields. */
const typed = (fields: readonly Item[]): Uint8Array => concatBytes(Uint8Array.of(2), encoded(fields));

/** Recursive length prefix (RLP): the encoding of byte strings and lists in Ethereum transactions. */
function encoded(item: Item): Uint8Array {
  if (item instanceof Uint8Array) {
    const [first = 0] = item;
    return item.length === 1 && first < 0x80 ? item : concatBytes(prefix(0x80, item.length), item);
  }
  const content = concatBytes(...item.map(encoded));
  return concatBytes(prefix(0xc0, content.length), content);
}

function prefix(base: number, length: number): Uint8Array {
  if (length < 56) return Uint8Array.of(base + length);
  const size = numberBytes(BigInt(length));
  return concatBytes(Uint8Array.of(base + 55 + size.length), size);
}

const bytesOf = (text: string): Uint8Array => hexToBytes(text.slice(2));

/** The bytes of a number for RLP, which allows no leading zeros. So zero has no bytes. */
const numberBytes = (value: bigint): Uint8Array => {
  if (value === 0n) return new Uint8Array();
  const digits = value.toString(16);
  return hexToBytes(digits.length % 2 === 0 ? digits : `0${digits}`);
};

/** A number of the signature without its leading zeros, which RLP does not allow. */
const trimmed = (bytes: Uint8Array): Uint8Array => {
  const start = bytes.findIndex((byte) => byte !== 0);
  return start < 0 ? new Uint8Array() : bytes.slice(start);
};
