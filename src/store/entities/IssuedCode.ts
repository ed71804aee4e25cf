import { defineEntity, p } from '@mikro-orm/core';

/** Every verification code ever issued: a code is never given twice, not even after its agent is gone. */
export const IssuedCodeSchema = defineEntity({
  name: 'IssuedCode',
  properties: { code: p.string().length(16).primary() },
});
export class IssuedCode extends IssuedCodeSchema.class {}
IssuedCodeSchema.setClass(IssuedCode);
