import { useEffect, useState } from 'preact/hooks';
import { counted } from '../../../format/number.js';
import { texts } from '../../../texts.js';
import { Empty } from '../../../ui/problem-view.js';
import { type Chapter, hasWords } from './chapters.js';
import { EndpointPart } from './endpoint.js';
import { Markdown } from './markdown.js';
import { type Endpoint, groupsOf, isFound, type OpenApi } from './openapi.js';
import { Part } from './part.js';

type Props = {
  readonly chapters: readonly Chapter[];
  readonly document: OpenApi;
  readonly search: string;
  readonly clearSearch: () => void;
  readonly tryOut: (endpoint: Endpoint) => void;
};

/** Every chapter, then every endpoint by topic. A link such as #errors or #getAgents opens its part. */
export function Reference({ chapters, document, search, clearSearch, tryOut }: Props) {
  const words = texts.developers.reference;
  const target = useTarget(search, clearSearch);
  const [chosen, choose] = useState('');
  const foundChapters = chapters.filter(({ title, text }) => hasWords(`${title} ${text}`, search.trim()));
  const groups = groupsOf(document)
    .map((group) => ({ ...group, endpoints: group.endpoints.filter((one) => isFound(one, search.trim())) }))
    .filter(({ endpoints }) => endpoints.length > 0);
  const total = groups.reduce((sum, { endpoints }) => sum + endpoints.length, 0);
  return (
    <>
      <p class="muted small found" role="status">
        {counted(foundChapters.length, words.chapter)}, {counted(total, words.endpoint)}
      </p>
      {foundChapters.length + total === 0 && <Empty>{words.none}</Empty>}
      {foundChapters.length > 0 && (
        <section class="group">
          <h3>{words.chapters}</h3>
          {foundChapters.map(({ id, title, text }) => (
            <Part
              key={id}
              id={id}
              target={target}
              summary={<span class="path">{title}</span>}
              content={() => <Markdown text={text} id={id} target={target} />}
            />
          ))}
        </section>
      )}
      {groups.map(({ name, description, endpoints }) => (
        <section key={name} class="group">
          <h3>{name}</h3>
          <p class="muted small">{description}</p>
          {endpoints.map((one) => (
            <EndpointPart
              key={one.operation.operationId}
              document={document}
              endpoint={one}
              target={target}
              tryOut={tryOut}
              chosen={chosen}
              choose={choose}
            />
          ))}
        </section>
      ))}
    </>
  );
}

/** The fragment of the address, until the reader searches. A new one may lead to a part that the search hides. */
function useTarget(search: string, clearSearch: () => void): string {
  const read = () => window.location.hash.slice(1);
  const [target, setTarget] = useState(read);
  useEffect(() => {
    const change = () => {
      setTarget(read());
      clearSearch();
    };
    window.addEventListener('hashchange', change);
    return () => window.removeEventListener('hashchange', change);
  }, [clearSearch]);
  useEffect(() => {
    if (search !== '') setTarget('');
  }, [search]);
  return target;
}
