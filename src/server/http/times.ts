const FIRST_REFUSED = Date.UTC(10_000, 0);

/**
 * Whether the API accepts a time: years 1970 to 9999, UTC. PostgreSQL has no year 0, and ISO 8601 needs a sign for
 * years after 9999.
 */
export const isAcceptedTime = (time: Date): boolean => time.getTime() >= 0 && time.getTime() < FIRST_REFUSED;

export const EXPECTED_TIME = 'an ISO 8601 time in the years 1970 to 9999';
