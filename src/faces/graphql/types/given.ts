/** The arguments that are not null. GraphQL has null where REST leaves a field out, and the core takes it as REST does. */
export const withoutNulls = <Args extends object>(args: Args) =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null)) as {
    readonly [Name in keyof Args]: Exclude<Args[Name], null>;
  };
