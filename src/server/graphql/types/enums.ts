import { registerEnumType } from 'type-graphql';
import type { Enumeration } from '../../resources/types.js';

/** Registers an enum with type-graphql. Returns its values, which stand for it in declarations of fields. */
export function registerEnum<Value extends string>({ name, description, values, meanings }: Enumeration<Value>) {
  const valuesConfig = Object.fromEntries(Object.entries(meanings).map(([key, text]) => [key, { description: text }]));
  registerEnumType(values, { name, description, valuesConfig });
  return values;
}

export type Of<Enum> = Enum[keyof Enum];
