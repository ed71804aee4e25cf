/**
 * Returns the arguments without those that are null. GraphQL clients may send null for an argument that REST clients
 * omit.
 */
export const withoutNulls = <Args extends object>(args: Args) =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null)) as {
    readonly [Name in keyof Args]: Exclude<Args[Name], null>;
  };

/** Options of a field or argument that may be null. */
export const nullable = (description: string) => ({ nullable: true, description }) as const;

/** Description of an argument of a mutation that toggles something. */
export const DESIRED_STATE = 'Desired state. If omitted, the mutation toggles the current state.';
