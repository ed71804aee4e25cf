import { useEffect, useState } from 'preact/hooks';
import { counted } from '../../../format/number.js';
import { texts } from '../../../texts.js';
import { Empty } from '../../../ui/problem-view.js';
import { EndpointPart } from './endpoint.js';
import { type Endpoint, groupsOf, isFound, type OpenApi } from './openapi.js';

type Props = {
  readonly document: OpenApi;
  readonly search: string;
  readonly tryOut: (endpoint: Endpoint) => void;
};

/** Every endpoint by topic. A link such as #getAgents opens its endpoint. */
export function Reference({ document, search, tryOut }: Props) {
  const words = texts.developers.reference;
  const target = useTarget();
  const groups = groupsOf(document)
    .map((group) => ({ ...group, endpoints: group.endpoints.filter((one) => isFound(one, search.trim())) }))
    .filter(({ endpoints }) => endpoints.length > 0);
  const total = groups.reduce((sum, { endpoints }) => sum + endpoints.length, 0);
  return (
    <>
      <p class="muted small found" role="status">
        {counted(total, words.one)}
      </p>
      {total === 0 && <Empty>{words.none}</Empty>}
      {groups.map(({ name, description, endpoints }) => (
        <section key={name} class="group">
          <h3>{name}</h3>
          <p class="muted small">{description}</p>
          {endpoints.map((one) => (
            <EndpointPart
              key={one.operation.operationId}
              document={document}
              endpoint={one}
              isTarget={one.operation.operationId === target}
              tryOut={tryOut}
            />
          ))}
        </section>
      ))}
    </>
  );
}

/** The fragment of the address. */
function useTarget(): string {
  const read = () => window.location.hash.slice(1);
  const [target, setTarget] = useState(read);
  useEffect(() => {
    const change = () => setTarget(read());
    window.addEventListener('hashchange', change);
    return () => window.removeEventListener('hashchange', change);
  }, []);
  return target;
}
