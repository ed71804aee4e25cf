import type { Answer, Document, Operation, Reference } from './document.js';

/**
 * Failures that several operations have become components, so that the document has each of them once. A component is named by
 * its errors; components with the same errors and different examples are numbered.
 */
export function shareFailures(paths: Document['paths']): {
  readonly paths: Document['paths'];
  readonly responses: Readonly<Record<string, Answer>>;
} {
  const failures = Object.values(paths)
    .flatMap((item) => Object.values(item))
    .flatMap(({ responses }) => Object.entries(responses))
    .flatMap(([status, answer]) => (isFailure(status) && !isReference(answer) ? [answer] : []));
  const byText = Map.groupBy(failures, (answer) => JSON.stringify(answer));
  const names = new Map<string, string>();
  const responses: Record<string, Answer> = {};
  for (const [text, [answer, ...others]] of byText) {
    if (answer === undefined || others.length === 0) continue;
    const name = unused(nameOf(answer), responses);
    names.set(text, name);
    responses[name] = answer;
  }
  const refer = (answer: Answer | Reference): Answer | Reference => {
    const name = names.get(JSON.stringify(answer));
    return name === undefined ? answer : { $ref: `#/components/responses/${name}` };
  };
  const shared = (operation: Operation): Operation => ({
    ...operation,
    responses: mapped(operation.responses, refer),
  });
  return { paths: mapped(paths, (item) => mapped(item, shared)), responses };
}

/** An answer, or the component to which it refers. */
export const answerOf = ({ components }: Pick<Document, 'components'>, given: Answer | Reference): Answer =>
  isReference(given) ? (components.responses[given.$ref.split('/').at(-1) ?? ''] as Answer) : given;

const isReference = (given: Answer | Reference): given is Reference => '$ref' in given;
const isFailure = (status: string): boolean => status >= '400';

/** `MISSING_KEY` and `INVALID_KEY` become `MissingKeyOrInvalidKey`. */
const nameOf = ({ content }: Answer): string =>
  Object.keys(content?.['application/json'].examples ?? {})
    .map((code) => code.toLowerCase().replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase()))
    .join('Or');

function unused(name: string, taken: object): string {
  let number = 1;
  const numbered = () => (number === 1 ? name : `${name}${number}`);
  while (numbered() in taken) number++;
  return numbered();
}

const mapped = <T>(record: Readonly<Record<string, T>>, change: (value: T) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
