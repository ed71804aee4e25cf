import { type FieldNode, type GraphQLResolveInfo, Kind } from 'graphql';
import { graphqlFields, type Table } from '../../resources/field.js';

/** The part of the resolver's info argument that tells what a query selects. */
export type Info = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>;

/** The columns of fields that are not in the table of a type. */
type Relations = Readonly<Record<string, readonly string[]>>;

/** Expands fragments. Ignores type conditions and directives, so there may be fields that are not executed. */
function fieldsBelow({ selectionSet }: Pick<FieldNode, 'selectionSet'>, fragments: Info['fragments']): FieldNode[] {
  return (selectionSet?.selections ?? []).flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection];
    const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments[selection.name.value] : selection;
    return fragment ? fieldsBelow(fragment, fragments) : [];
  });
}

/** Fields between a connection and its rows. */
const WRAPPERS = ['nodes', 'edges', 'node'];

/** The fields that a query selects of the rows of a field: of its object, or of the nodes of its connection. */
function fieldsOfRows({ fieldNodes, fragments }: Info): FieldNode[] {
  const below = (parent: FieldNode): FieldNode[] =>
    fieldsBelow(parent, fragments).flatMap((field) => (WRAPPERS.includes(field.name.value) ? below(field) : [field]));
  return fieldNodes.flatMap(below);
}

/** Finds the columns once per field and request: graphql-js passes the same array of nodes for all parents of a field. */
function once<T>(find: (info: Info) => T): (info: Info) => T {
  const found = new WeakMap<Info['fieldNodes'], T>();
  return (info) => {
    if (!found.has(info.fieldNodes)) found.set(info.fieldNodes, find(info));
    return found.get(info.fieldNodes) as T;
  };
}

export const selectsCursors = once(({ fieldNodes, fragments }) =>
  fieldNodes
    .flatMap((node) => fieldsBelow(node, fragments))
    .some(
      (field) =>
        field.name.value === 'pageInfo' ||
        (field.name.value === 'edges' && fieldsBelow(field, fragments).some(({ name }) => name.value === 'cursor')),
    ),
);

export const selects = (info: Info, field: string): boolean =>
  fieldsOfRows(info).some(({ name }) => name.value === field);

const columnsFor = (table: Table, relations: Relations) => {
  const fields = graphqlFields(table);
  return (selected: readonly FieldNode[]): readonly string[] =>
    [...new Set(selected.flatMap(({ name }) => fields.get(name.value)?.parts ?? relations[name.value] ?? []))].sort();
};

/** Returns a function that finds the columns which a query needs of the rows of a field. */
export function columnsOf(table: Table, relations: Relations = {}) {
  const columns = columnsFor(table, relations);
  return once((info) => columns(fieldsOfRows(info)));
}

/** The same for objects in a field of the rows. null if the query does not select this field. */
export function columnsInside(table: Table, relations: Relations, field: string) {
  const columns = columnsFor(table, relations);
  return once((info) => {
    const objects = fieldsOfRows(info).filter(({ name }) => name.value === field);
    return objects.length === 0 ? null : columns(objects.flatMap((one) => fieldsBelow(one, info.fragments)));
  });
}
