import { type FieldNode, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';

/** What a resolver is told of the request that is of use here. */
export type Info = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>;

/**
 * The names of the fields that are asked for below a field; with `path`, below those of these names below it. Fragments
 * are written out. Types and directives are not looked at: rather something is read that is then left out.
 */
export function asked(info: Info, ...path: readonly string[]): ReadonlySet<string> {
  let fields = info.fieldNodes.flatMap(({ selectionSet }) => below(selectionSet, info.fragments));
  for (const name of path) {
    fields = fields
      .filter((field) => field.name.value === name)
      .flatMap(({ selectionSet }) => below(selectionSet, info.fragments));
  }
  return new Set(fields.map((field) => field.name.value));
}

/** Below the nodes of a connection, whichever way they are asked for. */
export const askedOfNodes = (info: Info, ...path: readonly string[]): ReadonlySet<string> =>
  new Set([...asked(info, 'nodes', ...path), ...asked(info, 'edges', 'node', ...path)]);

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
 * Looks ahead once for each place in a document, and not for each parent, and gives the same object for the same place.
 * Documents are kept, and so are their nodes.
 */
export function lookAhead<T>(look: (info: Info) => T): (info: Info) => T {
  // Fields that are merged here may stand alone elsewhere, or with others.
  const known = new WeakMap<FieldNode, { readonly nodes: readonly FieldNode[]; readonly found: T }[]>();
  return (info) => {
    const { fieldNodes: nodes } = info;
    const [first] = nodes;
    if (first === undefined) return look(info);
    const places = known.get(first) ?? [];
    const before = places.find(
      (place) => place.nodes.length === nodes.length && place.nodes.every((node, i) => node === nodes[i]),
    );
    if (before) return before.found;
    const found = look(info);
    known.set(first, [...places, { nodes: [...nodes], found }]);
    return found;
  };
}
