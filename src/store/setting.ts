import { defineEntity, p } from '@mikro-orm/core';

/** Values that the service generates once and needs again, such as its secret key. */
export const SettingSchema = defineEntity({
  name: 'Setting',
  properties: {
    name: p.string().length(64).primary(),
    value: p.string().length(1024),
  },
});
export class Setting extends SettingSchema.class {}
SettingSchema.setClass(Setting);
