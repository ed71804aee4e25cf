import { type FieldNode, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';

/** The part of the resolver's info argument that look-ahead uses. */
export type Info = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>;

/**
 * Names of the fields that the query selects below a field. `path` descends through the subfields with these names. Fragments
 * are expanded. Type conditions and directives are ignored, so the result may include fields that are not executed.
 */
export function selected(info: Info, ...path: readonly string[]): ReadonlySet<string> {
  let fields = info.fieldNodes.flatMap(({ selectionSet }) => below(selectionSet, info.fragments));
  for (const name of path) {
    fields = fields
      .filter((field) => field.name.value === name)
      .flatMap(({ selectionSet }) => below(selectionSet, info.fragments));
  }
  return new Set(fields.map((field) => field.name.value));
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

/**
 * Caches the result of `look` by the position in the document, so that it runs once per position and not once per parent.
 * The same position always returns the same object. Parsed documents are cached, so their nodes can be keys.
 */
export function lookAhead<T>(look: (info: Info) => T): (info: Info) => T {
  // GraphQL merges fields with the same name. A node can be part of several merged fields, so all nodes are compared.
  const cache = new WeakMap<FieldNode, { readonly nodes: readonly FieldNode[]; readonly result: T }[]>();
  return (info) => {
    const { fieldNodes: nodes } = info;
    const [first] = nodes;
    if (first === undefined) return look(info);
    const entries = cache.get(first) ?? [];
    const cached = entries.find(
      (entry) => entry.nodes.length === nodes.length && entry.nodes.every((node, i) => node === nodes[i]),
    );
    if (cached) return cached.result;
    const result = look(info);
    cache.set(first, [...entries, { nodes: [...nodes], result }]);
    return result;
  };
}
