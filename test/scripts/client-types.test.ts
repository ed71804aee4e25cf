import { expect } from 'chai';
import { clientTypes } from '../../scripts/client-types.js';

const text = { type: 'string' };
const object = (fields: Record<string, object>, required = Object.keys(fields)) => ({
  type: 'object',
  properties: fields,
  required,
});
const card = object({ id: text, name: text, url: text });

/** The types of a document with named schemas and one answer. */
const typesOf = (schemas: Record<string, object>, answer: object = object({})): string =>
  clientTypes({
    paths: {
      '/x': { get: { summary: 'Read', responses: { 200: { content: { 'application/json': { schema: answer } } } } } },
    },
    components: { schemas },
  });

describe('the types of the client', () => {
  it('extend a named shape whose fields come together, in the same order', () => {
    const profile = object({ ...card.properties, bio: text });
    expect(typesOf({ Profile: profile, Card: card })).to.match(
      /type Profile = Card & \{\n {2}readonly bio: string;\n\};/,
    );
  });

  it('do not extend a shape with fields that are apart or that may be absent', () => {
    const apart = object({ id: text, bio: text, name: text, url: text });
    const loose = object({ ...card.properties, bio: text }, ['id', 'name', 'bio']);
    for (const shape of [apart, loose]) expect(typesOf({ Shape: shape, Card: card })).to.match(/type Shape = \{/);
  });

  it('name a known shape within an answer, instead of repeating its fields', () => {
    const row = object({ rank: { type: 'integer' }, ...card.properties });
    const types = typesOf({ Card: card }, object({ rows: { type: 'array', items: row }, one: card }));
    expect(types.match(/readonly url/g)).to.have.length(1);
    expect(types).to.match(/readonly rows: readonly \(\{\n +readonly rank: number;\n +\} & Card\)\[\];/);
    expect(types).to.match(/readonly one: Card;/);
  });
});
