const KEYWORDS = new Set(['and', 'or', 'unless', 'bool', 'offset', 'inf', 'nan']);

/** Names of the metrics in a PromQL expression, or in a query of a Grafana variable. */
export function metricsIn(expr: string): string[] {
  const bare = expr
    .replace(/label_values\((.*),\s*\w+\)/, '$1')
    .replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, '')
    .replace(/\{[^}]*\}|\[[^\]]*\]/g, '')
    .replace(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, '')
    .replace(/\$\w+/g, '');
  const names = [...bare.matchAll(/(?<![\w.])([a-zA-Z_:][\w:]*)\b(?!\s*\()/g)].map((match) => match[1] as string);
  return names.filter((name) => !KEYWORDS.has(name.toLowerCase()));
}
