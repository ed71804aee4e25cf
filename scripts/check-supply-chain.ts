// Checks the packages that production installs: known vulnerabilities, and licences. lint/supply-chain.ts looks for
// scripts that run at the installation.
import { spawnSync } from 'node:child_process';
import { productionSbom, readAudit, refusedLicences, root } from './supply-chain.js';

const problems: string[] = [];

const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], { cwd: root, encoding: 'utf8' });
const audit = readAudit(stdout);
if ('unanswered' in audit) {
  report('vulnerabilities', `left out, because the registry does not answer: ${audit.unanswered}`);
} else {
  report('vulnerabilities', `${audit.found.length} packages`);
  problems.push(...audit.found);
}

const { components } = productionSbom();
const refused = refusedLicences(components);
report('licences', `${components.length} packages, ${refused.length} not allowed`);
problems.push(...refused);

if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exitCode = 1;
}

function report(name: string, what: string): void {
  process.stdout.write(`${name.padEnd(18)} ${what}\n`);
}
