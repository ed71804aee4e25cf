const AFTER_LAST = Date.UTC(10_000, 0);

/** Whether the API accepts this time: years 1970 to 9999, UTC. PostgreSQL has no year 0; later years have no plain ISO form. */
export const isAcceptedTime = (time: Date): boolean => time.getTime() >= 0 && time.getTime() < AFTER_LAST;

export const EXPECTED_TIME = 'a time of ISO 8601 in the years 1970 to 9999';
