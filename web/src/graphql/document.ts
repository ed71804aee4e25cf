import type { initGraphQLTada, TadaDocumentNode } from 'gql.tada';
import type { introspection } from '../generated/introspection.js';

/** What gql.tada derives types from: the schema, and the types of its scalars. Without masking, views read fields of fragments. */
type Setup = {
  introspection: introspection;
  disableMasking: true;
  scalars: {
    Address: string;
    AgentRef: string;
    DateTime: string;
    Eth: string;
    Hash: string;
    JSONObject: Record<string, unknown>;
    Wei: string;
  };
};
type Graphql = ReturnType<typeof initGraphQLTada<Setup>>;

/** A GraphQL document with the types of its variables and its result. At run time it is the text of the document. */
export type Document<Result, Variables> = TadaDocumentNode<Result, Variables>;
export type { FragmentOf, ResultOf, VariablesOf } from 'gql.tada';

/**
 * The text of a document with its fragments, each of them once. They are sorted, so that the build makes the same text from the
 * sources. The service parses the texts of the build when it starts, and finds the document of a request by the hash of its text.
 */
export function withFragments(text: string, fragments: readonly string[] = []): string {
  const definitions = [text, ...fragments].join(' ').split(/(?=\bfragment\s+\w+\s+on\b)/);
  const [first = '', ...rest] = definitions.map(withoutSpace);
  return [first, ...new Set(rest.sort())].join(' ').trim();
}

/**
 * Types a document against `schema/schema.graphql`. Only the types of gql.tada are used, so no parser is part of the page. A test
 * validates every document and computes its cost.
 */
export const graphql = withFragments as unknown as Graphql;

/**
 * Replaces each run of white space by one space. Our documents contain no string over several lines, in which white space would
 * have a meaning.
 */
const withoutSpace = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Text of a document, as requests send it. */
export const textOf = <Result, Variables>(document: Document<Result, Variables>): string => String(document);
