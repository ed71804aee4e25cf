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
    digest: '67e42ad5a367af8936722f1b886f179260cacc6fddfcb3bc2a83b2fabf3064b8',
  },
];
