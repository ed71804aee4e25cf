import { defineEntity, p } from '@mikro-orm/core';

/** What the service made for itself once and must find again: its secret key. */
export const SettingSchema = defineEntity({
  name: 'Setting',
  properties: {
    name: p.string().length(64).primary(),
    value: p.string().length(1024),
  },
});
export class Setting extends SettingSchema.class {}
SettingSchema.setClass(Setting);
