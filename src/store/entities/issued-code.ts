import { defineEntity, p } from '@mikro-orm/core';
import { AddressType } from '../types.js';

/** Every verification code that is or was in use. The deletion of an agent does not delete its code. */
export const IssuedCodeSchema = defineEntity({
  name: 'IssuedCode',
  properties: {
    code: p.string().length(16).primary(),
    /** The wallet that gets the code again when it registers again. Null for codes of agents deleted before this was stored. */
    wallet: p.type(AddressType).nullable().index(),
    issuedAt: p.datetime().nullable(),
    /** When other wallets may get the code: 30 days after its agent was deleted unclaimed. Null: never. */
    freeFrom: p.datetime().nullable(),
  },
});
export class IssuedCode extends IssuedCodeSchema.class {}
IssuedCodeSchema.setClass(IssuedCode);
