import { Kind, visit } from 'graphql';
import type { Operation } from '../engine/validate.js';
import type { Watch } from './watch.js';

/**
 * Subscribers with the same key get the same answers: they send the same document and variables, watch the same events, and
 * may see the same fields. The sequence they start from is left out if a variable holds it that is used for nothing else.
 */
export function groupKey(
  { document, documentHash, node, operationName, variableValues }: Operation,
  watch: Watch,
  viewer: string | null,
): string {
  const uses = new Map<string, number>();
  const positions = new Set<string>();
  visit(document, {
    VariableDefinition: () => false,
    Variable: ({ name }) => void uses.set(name.value, (uses.get(name.value) ?? 0) + 1),
    // Lists below this field have an argument of that name too.
    Field: ({ name, arguments: given = [] }) => {
      const after = name.value === watch.field && given.find((argument) => argument.name.value === 'after')?.value;
      if (after && after.kind === Kind.VARIABLE) positions.add(after.name.value);
    },
  });
  const declared = (node.variableDefinitions ?? []).map(({ variable }) => variable.name.value);
  const relevant = declared.filter((name) => !(positions.has(name) && uses.get(name) === 1));
  // A variable that was left out takes its default value; null does not.
  const values = relevant.map((name) => (Object.hasOwn(variableValues, name) ? [name, variableValues[name]] : [name]));
  return JSON.stringify([documentHash, operationName, values, watch.field, watch.agent, viewer]);
}
