import { z } from 'zod';
import { adaptSchema, type JsonSchema } from '../json-schema.js';

/** Schemas with an id become components of the document. Others are inlined. */
export class Schemas {
  readonly components: Record<string, JsonSchema> = {};

  request(schema: z.ZodObject): JsonSchema {
    return this.#convert(schema, 'input');
  }

  /**
   * The JSON Schema of an answer. An answer has the additional field `success`, so it is never a component: the copy
   * has no id.
   */
  answer(schema: z.ZodObject): JsonSchema {
    return this.#convert(schema.extend({}), 'output');
  }

  #convert(schema: z.ZodObject, io: 'input' | 'output'): JsonSchema {
    const json = z.toJSONSchema(schema, { io, override: adaptSchema });
    const { $schema, $defs = {}, ...rest } = JSON.parse(JSON.stringify(json).replaceAll('#/$defs/', COMPONENTS));
    for (const [name, { id, ...shape }] of Object.entries($defs as Record<string, JsonSchema>)) {
      this.components[name] = shape;
    }
    return rest;
  }
}

const COMPONENTS = '#/components/schemas/';
