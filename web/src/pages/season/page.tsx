import { useQuery } from '../../graphql/use-query.js';
import type { PageProps } from '../../router.js';
import { NotFound } from '../not-found.js';
import { seasonQuery } from '../seasons/queries.js';
import { SeasonView } from '../seasons/season-view.js';

/** Largest value of the type Int of GraphQL. A query with a larger number would be refused. */
const MAX_NUMBER = 2 ** 31 - 1;

/** Page of one season, with the number of the season in the path. */
export default function SeasonPage({ params: { number: text = '' } }: PageProps) {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  const isNumber = number <= MAX_NUMBER;
  const { data, problem, reload } = useQuery(seasonQuery, { number: isNumber ? number : 0 }, { skip: !isNumber, isExtended: true });
  if (!isNumber) return <NotFound />;
  return <SeasonView season={data?.season} seasons={data?.seasons} problem={problem} reload={reload} />;
}
