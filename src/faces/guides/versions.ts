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
    digest: 'fe88116898db04379d733592d4727f554adbd09e37e68acfa00d1716c5d5091c',
  },
];
