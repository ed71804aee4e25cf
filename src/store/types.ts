import { Type } from '@mikro-orm/core';

/** Wei as bigint, stored as numeric(78,0), which can hold 2^256-1. The 8 bytes of int8 would hold at most 9.22 ETH. */
export class WeiType extends Type<bigint, string> {
  override convertToDatabaseValue(value: bigint): string {
    // MikroORM also passes values that are already converted to text.
    return value === null || value === undefined ? value : String(value);
  }
  override compareAsType(): string {
    return 'string';
  }
  override getColumnType(): string {
    return 'numeric(78,0)';
  }
}

const ADDRESS = /^0x[0-9a-f]{40}$/;

/** Wallet address as lowercase text. A TypeError reveals a caller that did not convert its input to lower case. */
export class AddressType extends Type<string, string> {
  override convertToDatabaseValue(value: string): string {
    if (typeof value === 'string' && !ADDRESS.test(value)) throw new TypeError('not a lowercase wallet address');
    return value;
  }
  override getColumnType(): string {
    return 'varchar(42)';
  }
}
