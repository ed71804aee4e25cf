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
    digest: 'fda089129f682d5b55cbe16869d5ae94f222259d61a8df26f3badd23fda88483',
  },
];
