import { Type } from '@mikro-orm/core';

/** Wei as bigint over numeric(78,0): 2^256-1 fits, and the built-in bigint (8 bytes) ends at 9.22 ETH. */
export class WeiType extends Type<bigint, string> {
  override convertToDatabaseValue(value: bigint): string {
    // MikroORM also passes values that it has already converted.
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

/** A wallet address: lowercase text. A face that lets another spelling through is a bug, found here. */
export class AddressType extends Type<string, string> {
  override convertToDatabaseValue(value: string): string {
    if (typeof value === 'string' && !ADDRESS.test(value)) throw new TypeError('not a lowercase wallet address');
    return value;
  }
  override getColumnType(): string {
    return 'varchar(42)';
  }
}
