import { type FieldNode, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';

/** The part of the resolver's info argument that look-ahead uses. */
export type Info = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>;

/**
 * Names of the fields that the query selects below a field. `path` descends through the subfields with these names. Fragments
 * are expanded. Type conditions and directives are ignored, so the result may include fields that are not executed.
 */
export function selected(info: Info, ...path: readonly string[]): ReadonlySet<string> {
  return new Set(fieldsBelow(info, ...path).map((field) => field.name.value));
}

/** Syntax nodes of the fields that the query selects below a field, by the same rules as `selected`. */
function fieldsBelow(info: Info, ...path: readonly string[]): FieldNode[] {
  let fields = info.fieldNodes.flatMap(({ selectionSet }) => below(selectionSet, info.fragments));
  for (const name of path) {
    fields = fields
      .filter((field) => field.name.value === name)
      .flatMap(({ selectionSet }) => below(selectionSet, info.fragments));
  }
  return fields;
}

/** Names of the fields selected below the nodes of a connection, through `nodes` or through `edges`. */
export const selectedInNodes = (info: Info, ...path: readonly string[]): ReadonlySet<string> =>
  new Set([...selected(info, 'nodes', ...path), ...selected(info, 'edges', 'node', ...path)]);

function below(set: SelectionSetNode | undefined, fragments: Info['fragments']): FieldNode[] {
  return (set?.selections ?? []).flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection];
    return below(
      selection.kind === Kind.FRAGMENT_SPREAD ? fragments[selection.name.value]?.selectionSet : selection.selectionSet,
      fragments,
    );
  });
}

/** Result of a look-ahead at a position. GraphQL merges fields with the same name, so all nodes of the position are compared. */
type Position = {
  readonly nodes: readonly FieldNode[];
  readonly look: (info: Info) => unknown;
  readonly result: unknown;
};

/**
 * Caches the results of look-aheads by the position in the document, so that each runs once per position and not once per parent.
 * The same position always returns the same object. Parsed documents are cached, so their nodes can be keys.
 */
export class LookAhead {
  readonly #positions = new WeakMap<FieldNode, Position[]>();

  find<T>(info: Info, look: (info: Info) => T): T {
    const { fieldNodes: nodes } = info;
    const [first] = nodes;
    if (first === undefined) return look(info);
    const positions = this.#positions.get(first) ?? [];
    const cached = positions.find(
      (position) =>
        position.look === look &&
        position.nodes.length === nodes.length &&
        position.nodes.every((node, i) => node === nodes[i]),
    );
    if (cached) return cached.result as T;
    const result = look(info);
    this.#positions.set(first, [...positions, { nodes: [...nodes], look, result }]);
    return result;
  }
}

/** Wraps `look` so that its results are cached in the engine of the request. */
export const lookAhead =
  <T>(look: (info: Info) => T) =>
  ({ lookAhead }: { readonly lookAhead: LookAhead }, info: Info): T =>
    lookAhead.find(info, look);
