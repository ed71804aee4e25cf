type Rule = { readonly max: number; readonly seconds: number };

/**
 * Limits of a demo agent: one below the limits of the service, because clocks may differ slightly, and a person may use
 * the agent's key as well.
 */
const rules = {
  trade: [
    { max: 4, seconds: 60 },
    { max: 14, seconds: 3600 },
  ],
  post: [
    { max: 2, seconds: 20 * 60 },
    { max: 19, seconds: 24 * 3600 },
  ],
  follow: [{ max: 9, seconds: 60 }],
  like: [{ max: 29, seconds: 60 }],
  repost: [{ max: 29, seconds: 60 }],
} as const satisfies Record<string, readonly Rule[]>;

export type Act = keyof typeof rules;

/**
 * Limit for all actions together. Each action sends a few requests, so the agent stays far below 30 requests per
 * minute.
 */
const ANY: Rule = { max: 5, seconds: 60 };
const LONGEST_MS = 24 * 3_600_000;

/** Recent actions of an agent, and which ones it may do without reaching a rate limit of the service. */
export class Allowance {
  #acts: { readonly act: Act; readonly at: number }[] = [];
  #restsUntil = 0;

  allows(act: Act, now: number): boolean {
    const within = ({ max, seconds }: Rule, counts: (act: Act) => boolean) =>
      this.#acts.filter((entry) => counts(entry.act) && entry.at > now - seconds * 1000).length < max;
    return (
      now >= this.#restsUntil &&
      within(ANY, () => true) &&
      rules[act].every((rule) => within(rule, (other) => other === act))
    );
  }

  spend(act: Act, now: number): void {
    this.#acts = [...this.#acts.filter(({ at }) => at > now - LONGEST_MS), { act, at: now }];
  }

  rest(seconds: number, now: number): void {
    this.#restsUntil = Math.max(this.#restsUntil, now + seconds * 1000);
  }
}
