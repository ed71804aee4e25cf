/** The part of the output of `npm audit --json` that is used. It has an `error` if the registry gives no answer. */
type Report = {
  readonly error?: { readonly summary?: string };
  readonly message?: string;
  readonly vulnerabilities?: Readonly<Record<string, { readonly name: string; readonly severity: string }>>;
};

/** `found`: vulnerable packages with their severity. `unanswered`: why the registry was of no help. */
export type Audit = { readonly found: readonly string[] } | { readonly unanswered: string };

/** Reads the output of `npm audit --json`. */
export function readAudit(output: string): Audit {
  const report = parse(output);
  if (report?.vulnerabilities === undefined || report.error !== undefined) {
    return { unanswered: report?.error?.summary || report?.message || 'no report' };
  }
  return { found: Object.values(report.vulnerabilities).map(({ name, severity }) => `${name}: ${severity}`) };
}

function parse(output: string): Report | undefined {
  try {
    return JSON.parse(output) as Report;
  } catch {
    return undefined;
  }
}
