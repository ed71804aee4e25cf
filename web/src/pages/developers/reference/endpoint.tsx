import { developerTexts } from '../texts.js';
import { CodeBlock } from './code-block.js';
import { type Choice, Examples } from './examples.js';
import { type Endpoint, type Field, failuresOf, isOpen, type OpenApi, requestFields, successOf } from './openapi.js';
import { Part } from './part.js';

type Props = Choice & {
  readonly document: OpenApi;
  readonly endpoint: Endpoint;
  readonly tryOut: (endpoint: Endpoint) => void;
};

/** One endpoint of the reference, folded until the reader opens it. `target` is the fragment of the page's address. */
export function EndpointPart({ target, ...props }: Props & { readonly target: string }) {
  const { method, path, operation } = props.endpoint;
  const summary = (
    <>
      <code class={`method ${method.toLowerCase()}`}>{method}</code>
      <code class="path">{path}</code>
      <span class="muted small">{operation.summary}</span>
    </>
  );
  return <Part id={operation.operationId} target={target} summary={summary} content={() => <Details {...props} />} />;
}

function Details({ document, endpoint, tryOut, chosen, choose }: Props) {
  const { operation } = endpoint;
  const words = developerTexts.reference;
  const fields = requestFields(document, operation);
  const { status, examples, fields: answer } = successOf(document, operation);
  const key = operation.security.length === 0 ? words.noKey : isOpenWithout(operation.security) ? words.takes : words.needs;
  return (
    <>
      <Prose text={operation.description} />
      <p class="small">
        {key} {operation.deprecated && words.retired} <a href={`#${operation.operationId}`}>{words.link}</a>
      </p>
      {isOpen(endpoint) && (
        <button type="button" class="button" onClick={() => tryOut(endpoint)}>
          {words.tryOut}
        </button>
      )}
      <Examples samples={operation['x-codeSamples']} chosen={chosen} choose={choose} />
      {fields.length > 0 && (
        <Table
          title={words.request}
          rows={fields.map(({ name, where, isRequired, type, description }) => [
            name,
            [where, isRequired && words.required, type].filter(Boolean).join(', '),
            description,
          ])}
        />
      )}
      {examples.map(({ summary = words.example(status), value }) => (
        <div key={summary}>
          <h4>{summary}</h4>
          <CodeBlock text={JSON.stringify(value, null, 2)} language="JSON" />
        </div>
      ))}
      {answer.length > 0 && <Table title={words.answer} rows={answer.map(rowOf)} />}
      <Table title={words.failures} rows={failuresOf(document, operation).map(([code, text]) => [code, '', text])} />
    </>
  );
}

/** Whether a key is optional: then one of the alternatives in `security` is empty. */
const isOpenWithout = (security: readonly object[]): boolean => security.some((one) => Object.keys(one).length === 0);

const rowOf = ({ name, type, description }: Pick<Field, 'name' | 'type' | 'description'>) => [name, type, description] as const;

type TableProps = { readonly title: string; readonly rows: readonly (readonly [string, string, string])[] };

function Table({ title, rows }: TableProps) {
  return (
    <>
      <h4>{title}</h4>
      <dl class="fields">
        {rows.map(([name, type, description]) => (
          <div key={name}>
            <dt>
              <code>{name}</code> <span class="muted small">{type}</span>
            </dt>
            <dd class="small">
              <Prose text={description} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/** Shows a text as paragraphs. What stands between backticks becomes code. */
function Prose({ text }: { readonly text: string }) {
  if (text === '') return null;
  return text
    .split('\n\n')
    .map((paragraph, i) => (
      <p key={i}>{paragraph.split('`').map((part, j) => (j % 2 === 1 ? <code key={j}>{part}</code> : part))}</p>
    ));
}
