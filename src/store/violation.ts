import { DriverException } from '@mikro-orm/core';

/** The name of the constraint that a write has violated, on either driver. */
export function violatedConstraint(error: unknown): string | undefined {
  const name = error instanceof DriverException && 'constraint' in error ? error.constraint : undefined;
  return typeof name === 'string' ? name : undefined;
}
