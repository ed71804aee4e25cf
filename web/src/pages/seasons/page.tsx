import { useQuery } from '../../graphql/use-query.js';
import type { PageProps } from '../../router.js';
import { seasonsQuery } from './queries.js';
import { SeasonView } from './season-view.js';

/** The page with the running season. Between two seasons it shows the newest one. */
export default function SeasonsPage(_: PageProps) {
  const { data, problem, reload } = useQuery(seasonsQuery, {}, { isExtended: true });
  const season = data && (data.activeSeason?.season ?? data.newest.nodes[0] ?? null);
  return <SeasonView season={season} seasons={data?.seasons} problem={problem} reload={reload} />;
}
