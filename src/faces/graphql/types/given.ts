/** Returns the arguments without those that are null. GraphQL clients may send null for an argument that they omit in REST. */
export const withoutNulls = <Args extends object>(args: Args) =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null)) as {
    readonly [Name in keyof Args]: Exclude<Args[Name], null>;
  };
