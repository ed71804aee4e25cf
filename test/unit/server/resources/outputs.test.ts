import { expect } from 'chai';
import { z } from 'zod';
import { readConfig } from '../../../../src/config/config.js';
import { endpoints, toolsFor } from '../../../../src/features/features.js';
import { feedEventSchema } from '../../../../src/features/feed/resource.js';
import { pnl, pnlExample } from '../../../../src/features/trading/pnl-resource.js';
import { restAnswer } from '../../../../src/server/resources/answers.js';

/**
 * Paths in an output where a view's `answerSchema` was used instead of its `schema`. `answerSchema` takes a finished object.
 * `schema` takes a row, and makes the object from it.
 */
function finishedObjects(schema: z.ZodType, path: string): string[] {
  // A pipe is a view's `schema`: it takes a row, as it should.
  if (schema instanceof z.ZodPipe) return [];
  if (schema.meta()?.view !== undefined) return [path];
  if (schema instanceof z.ZodArray) return finishedObjects(schema.element as z.ZodType, `${path}[]`);
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional)
    return finishedObjects(schema.unwrap() as z.ZodType, path);
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries<z.ZodType>(schema.shape).flatMap(([name, field]) => finishedObjects(field, `${path}.${name}`));
}

describe('the output of an operation', () => {
  // `answerOf` formats each object of a view, so a handler that already returned formatted objects would cause wrong values.
  it('takes the rows of the views in it, not finished objects', () => {
    const config = readConfig({ KEY_REPLACEMENT: 'on' });
    const outputs = [
      ...endpoints(config).map(({ path, output }) => finishedObjects(output, path)),
      ...toolsFor(config).map(({ tool, output }) => finishedObjects(tool.output ?? output, tool.name)),
    ];
    expect(outputs.length).to.be.above(60);
    expect(outputs.flat()).to.deep.equal([]);
    expect(finishedObjects(z.object({ all: z.array(pnl.answerSchema.nullable()) }), 'x')).to.deep.equal(['x.all[]']);
  });

  it('formats a row as its view does', () => {
    expect(pnl.schema.parse(pnlExample)).to.deep.equal(pnl.format(pnlExample));
    const event = {
      type: 'REGISTERED',
      id: 'a',
      agentAddress: '0x1',
      agentName: 'A',
      agentId: 'a',
      avatarUrl: null,
      isClaimed: true,
    };
    const row = { ...event, createdAt: new Date(0) };
    const answer = { ...event, createdAt: '1970-01-01T00:00:00.000Z' };
    expect([feedEventSchema.parse(row), restAnswer(feedEventSchema).format(row)]).to.deep.equal([answer, answer]);
  });
});
