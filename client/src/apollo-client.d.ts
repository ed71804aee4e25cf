// Declares the few parts of @apollo/client that apollo.ts uses, so that apollo.ts compiles without that package: it is an optional
// peer dependency. test/ci/clients/apollo.test.ts compiles apollo.ts with the real types.
declare module '@apollo/client' {
  export class InMemoryCache {
    constructor(options: object);
  }
  export class Observable<T> {
    constructor(subscribe: (observer: { next(value: T): void; error(error: unknown): void; complete(): void }) => () => void);
  }
  export class ApolloLink {
    constructor(request: (operation: ApolloLink.Operation) => Observable<ApolloLink.Result>);
    static split(test: (operation: ApolloLink.Operation) => boolean, left: ApolloLink, right: ApolloLink): ApolloLink;
  }
  export namespace ApolloLink {
    type Operation = {
      readonly query: object;
      readonly variables: object;
      readonly operationType: string | undefined;
    };
    type Result = object;
  }
  export class HttpLink extends ApolloLink {
    constructor(options: object);
  }
}
declare module '@apollo/client/utilities' {
  export const print: (document: object) => string;
  export const relayStylePagination: (keyArgs: (args: object | null) => string[]) => object;
}
