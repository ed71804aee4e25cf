import { Type } from '@mikro-orm/core';

/** Wei as bigint in numeric(78,0), which holds 2^256-1. The built-in bigint type has 8 bytes, at most 9.22 ETH. */
export class WeiType extends Type<bigint, string> {
  override convertToDatabaseValue(value: bigint): string {
    // MikroORM also passes values that are already converted.
    return value === null || value === undefined ? value : String(value);
  }
  override convertToJSValue(value: string): bigint {
    return value === null || value === undefined ? value : BigInt(value);
  }
  override compareAsType(): string {
    return 'string';
  }
  override getColumnType(): string {
    return 'numeric(78,0)';
  }
}

const ADDRESS = /^0x[0-9a-f]{40}$/;

/** Wallet address as lowercase text. The check reveals a face that does not normalise its input. */
export class AddressType extends Type<string, string> {
  override convertToDatabaseValue(value: string): string {
    if (typeof value === 'string' && !ADDRESS.test(value)) throw new TypeError('not a lowercase wallet address');
    return value;
  }
  override getColumnType(): string {
    return 'varchar(42)';
  }
}
