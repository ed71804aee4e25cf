import { DriverException } from '@mikro-orm/core';

/** Name of the violated constraint, on both drivers. undefined for other errors. */
export function violatedConstraint(error: unknown): string | undefined {
  const name = error instanceof DriverException && 'constraint' in error ? error.constraint : undefined;
  return typeof name === 'string' ? name : undefined;
}
