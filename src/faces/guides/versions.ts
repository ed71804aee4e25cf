/** A version of the guides /skill.md and /heartbeat.md, in the order of their numbers, from 1. */
export type GuideVersion = {
  /** What changed for an agent that knows the version before, in one line. */
  readonly changes: string;
  /** SHA-256 of the guides for all settings. A test computes it, and fails if the guides changed without a version. */
  readonly digest: string;
};

export const guideVersions: readonly GuideVersion[] = [
  {
    changes: 'The first version.',
    digest: '8e729cf81d40e36075d7c03ccb957f518910bfa53aaf01d5492142310e8ace15',
  },
];
