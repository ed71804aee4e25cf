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

/** What was found at a place in a document. Fields that are merged here may stand alone elsewhere, or with others. */
type Place = { readonly nodes: readonly FieldNode[]; readonly look: (info: Info) => unknown; readonly found: unknown };

/** Looks ahead once for each place in a document, and not for each parent. The same place gives the same object. */
export class LookAhead {
  readonly #places = new WeakMap<FieldNode, Place[]>();

  find<T>(info: Info, look: (info: Info) => T): T {
    const { fieldNodes: nodes } = info;
    const [first] = nodes;
    if (first === undefined) return look(info);
    const places = this.#places.get(first) ?? [];
    const isHere = (place: Place) =>
      place.look === look && place.nodes.length === nodes.length && place.nodes.every((node, i) => node === nodes[i]);
    const before = places.find(isHere);
    if (before) return before.found as T;
    const found = look(info);
    this.#places.set(first, [...places, { nodes: [...nodes], look, found }]);
    return found;
  }
}

/** A look-ahead that remembers what it finds in the request's engine. */
export const lookAhead =
  <T>(look: (info: Info) => T) =>
  ({ lookAhead }: { readonly lookAhead: LookAhead }, info: Info): T =>
    lookAhead.find(info, look);
