import { useEffect, useRef, useState } from 'preact/hooks';
import { texts } from '../../../texts.js';
import { type Endpoint, type Field, failuresOf, isOpen, type OpenApi, requestFields, successOf } from './openapi.js';

type Props = {
  readonly document: OpenApi;
  readonly endpoint: Endpoint;
  /** Whether the address of the page names the endpoint. */
  readonly isTarget: boolean;
  readonly tryOut: (endpoint: Endpoint) => void;
};

/** One endpoint. Its details are rendered when it opens. */
export function EndpointPart({ document, endpoint, isTarget, tryOut }: Props) {
  const { method, path, operation } = endpoint;
  const details = useRef<HTMLDetailsElement>(null);
  const [isExpanded, setExpanded] = useState(isTarget);
  useEffect(() => {
    if (!isTarget) return;
    setExpanded(true);
    details.current?.scrollIntoView();
  }, [isTarget]);
  return (
    <details
      ref={details}
      id={operation.operationId}
      class="endpoint"
      open={isExpanded}
      onToggle={(event) => setExpanded(event.currentTarget.open)}
    >
      <summary>
        <code class={`method ${method.toLowerCase()}`}>{method}</code>
        <code class="path">{path}</code>
        <span class="muted small">{operation.summary}</span>
      </summary>
      {isExpanded && <Details document={document} endpoint={endpoint} tryOut={tryOut} />}
    </details>
  );
}

function Details({ document, endpoint, tryOut }: Omit<Props, 'isTarget'>) {
  const { operation } = endpoint;
  const words = texts.developers.reference;
  const fields = requestFields(document, operation);
  const { status, example, fields: answer } = successOf(document, operation);
  const key =
    operation.security.length === 0 ? words.noKey : isOpenWithout(operation.security) ? words.takes : words.needs;
  return (
    <div class="details">
      <Prose text={operation.description} />
      <p class="small">
        {key} {operation.deprecated && words.retired} <a href={`#${operation.operationId}`}>{words.link}</a>
      </p>
      {isOpen(endpoint) && (
        <button type="button" class="button" onClick={() => tryOut(endpoint)}>
          {words.tryOut}
        </button>
      )}
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
      {example !== undefined && (
        <>
          <h4>{words.example(status)}</h4>
          <pre class="code" tabIndex={0}>
            {JSON.stringify(example, null, 2)}
          </pre>
        </>
      )}
      {answer.length > 0 && <Table title={words.answer} rows={answer.map(rowOf)} />}
      <Table title={words.failures} rows={failuresOf(document, operation).map(([code, text]) => [code, '', text])} />
    </div>
  );
}

const isOpenWithout = (security: readonly object[]): boolean => security.some((one) => Object.keys(one).length === 0);

const rowOf = ({ name, type, description }: Pick<Field, 'name' | 'type' | 'description'>) =>
  [name, type, description] as const;

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

/** Paragraphs, with code between backticks. */
function Prose({ text }: { readonly text: string }) {
  if (text === '') return null;
  return text
    .split('\n\n')
    .map((paragraph, i) => (
      <p key={i}>{paragraph.split('`').map((part, j) => (j % 2 === 1 ? <code key={j}>{part}</code> : part))}</p>
    ));
}
