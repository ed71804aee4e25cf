import { useEffect, useRef, useState } from 'preact/hooks';
import { counted } from '../../../format/number.js';
import { Empty } from '../../../ui/problem-view.js';
import { developerTexts } from '../texts.js';
import type { Chapter } from './chapters.js';
import { EndpointPart } from './endpoint.js';
import type { Choice } from './examples.js';
import { Markdown } from './markdown.js';
import type { Endpoint, OpenApi } from './openapi.js';
import { Part } from './part.js';
import { type Section, sectionsOf } from './sections.js';
import './reference.css';

type Props = {
  readonly chapters: readonly Chapter[];
  readonly document: OpenApi;
  readonly search: string;
  readonly clearSearch: () => void;
  readonly tryOut: (endpoint: Endpoint) => void;
};

/** The chapters and endpoints of the reference, by section. A link such as #errors or #getAgents opens its part. */
export function Reference({ chapters, document, search, clearSearch, tryOut }: Props) {
  const words = developerTexts.reference;
  const target = useTarget(search, clearSearch);
  const [chosen, choose] = useState('');
  const sections = sectionsOf(chapters, document, search.trim());
  const found = sections.reduce((sum, one) => sum + one.chapters.length, 0);
  const total = sections.flatMap(({ groups }) => groups).reduce((sum, { endpoints }) => sum + endpoints.length, 0);
  return (
    <>
      <p class="jump">
        {sections.map(({ id, name }) => (
          <a key={id} href={`#${id}`}>
            {name}
          </a>
        ))}
      </p>
      <p class="muted small found" role="status">
        {counted(found, words.chapter)}, {counted(total, words.endpoint)}
      </p>
      {sections.length === 0 && <Empty>{words.none}</Empty>}
      {sections.map((section) => (
        <SectionPart key={section.id} {...{ section, document, target, tryOut, chosen, choose }} />
      ))}
    </>
  );
}

type SectionProps = Choice & Pick<Props, 'document' | 'tryOut'> & { readonly section: Section; readonly target: string };

function SectionPart({ section: { id, name, chapters, groups }, target, ...endpointProps }: SectionProps) {
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (target === id) head.current?.scrollIntoView();
  }, [target, id]);
  return (
    <section class="section">
      <h3 ref={head} id={id}>
        {name}
      </h3>
      {chapters.map((one) => (
        <Part
          key={one.id}
          id={one.id}
          target={target}
          summary={<span class="path">{one.title}</span>}
          content={() => <Markdown text={one.text} id={one.id} target={target} />}
        />
      ))}
      {groups.map((group) => (
        <div key={group.name} class="group">
          {group.name !== name && <h4>{group.name}</h4>}
          <p class="muted small">{group.description}</p>
          {group.endpoints.map((one) => (
            <EndpointPart key={one.operation.operationId} endpoint={one} target={target} {...endpointProps} />
          ))}
        </div>
      ))}
    </section>
  );
}

/**
 * The fragment of the address. Empty after the reader searches. A new fragment clears the search, because the search may hide the
 * part to which the fragment leads.
 */
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
