type Rule = { readonly most: number; readonly seconds: number };

/** One below the service's limits: clocks may differ slightly, and a person may use the agent's key as well. */
const rules = {
  trade: [
    { most: 4, seconds: 60 },
    { most: 14, seconds: 3600 },
  ],
  post: [
    { most: 2, seconds: 20 * 60 },
    { most: 19, seconds: 24 * 3600 },
  ],
  follow: [{ most: 9, seconds: 60 }],
  like: [{ most: 29, seconds: 60 }],
  repost: [{ most: 29, seconds: 60 }],
} as const satisfies Record<string, readonly Rule[]>;

export type Act = keyof typeof rules;

/** Limit for all actions together. Each sends a few requests, which stays far below 30 requests per minute. */
const ANY: Rule = { most: 5, seconds: 60 };
const LONGEST_MS = 24 * 3_600_000;

/** Recent actions of an agent, and which ones it may do without reaching a rate limit of the service. */
export class Allowance {
  #acts: { readonly act: Act; readonly at: number }[] = [];
  #restsUntil = 0;

  allows(act: Act, now: number): boolean {
    const within = ({ most, seconds }: Rule, counts: (one: Act) => boolean) =>
      this.#acts.filter((one) => counts(one.act) && one.at > now - seconds * 1000).length < most;
    return (
      now >= this.#restsUntil &&
      within(ANY, () => true) &&
      rules[act].every((rule) => within(rule, (one) => one === act))
    );
  }

  spend(act: Act, now: number): void {
    this.#acts = [...this.#acts.filter(({ at }) => at > now - LONGEST_MS), { act, at: now }];
  }

  rest(seconds: number, now: number): void {
    this.#restsUntil = Math.max(this.#restsUntil, now + seconds * 1000);
  }
}
