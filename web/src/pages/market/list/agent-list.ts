import { parseEth } from '../../../../../src/values/money.js';
import { useApp } from '../../../app-context.js';
import type { VariablesOf } from '../../../graphql/document.js';
import type { agentListQuery } from '../queries.js';
import { marketTexts } from '../texts.js';

/** The keys by which the list can be sorted, as the address names them, with the names that the service has for them. */
export const sorts = {
  price: 'PRICE',
  change: 'PRICE_CHANGE_24H',
  supply: 'SUPPLY',
  holders: 'HOLDERS',
  volume: 'VOLUME',
  newest: 'NEWEST',
} as const;
export type Sort = keyof typeof sorts;
export type Order = { readonly sort: Sort; readonly isAscending: boolean };

/** The filters as the texts that stand in the address and in the fields. An empty text filters nothing. */
export type Filters = Readonly<Record<keyof typeof marketTexts.list.fields | 'claimed', string>>;
export type Faults = { readonly [Key in keyof Filters]?: string };

/** The texts that clear all filters. */
export const NO_FILTERS: Filters = { claimed: '', name: '', minHolders: '', minPrice: '', maxPrice: '' };
const FIRST: Sort = 'supply';

/** Says for each text that is not valid what is wrong with it. */
export function faultsOf({ name, minHolders, minPrice, maxPrice }: Filters): Faults {
  const words = marketTexts.list.faults;
  const [min, max] = [parseEth(minPrice || '0'), parseEth(maxPrice || '0')];
  return {
    // The service refuses names that contain $, { or a null character.
    ...(/[\0${]/.test(name) && { name: words.name }),
    // A number of up to nine digits fits into the type Int of GraphQL.
    ...(!/^\d{0,9}$/.test(minHolders) && { minHolders: words.holders }),
    ...(min === null && { minPrice: words.price }),
    ...(max === null && { maxPrice: words.price }),
    ...(min !== null && max !== null && maxPrice && max < min && { maxPrice: words.range }),
  };
}

/** The order and the filters of the list. They stand in the address of the page, which leaves out whatever is at its default. */
export function useAgentList() {
  const { router } = useApp();
  const given = router.location.value.url.searchParams;
  const sort = given.get('sort') ?? '';
  const order: Order = {
    sort: Object.hasOwn(sorts, sort) ? (sort as Sort) : FIRST,
    isAscending: given.get('order') === 'asc',
  };
  const filters = filtersOf(given);
  const write = (values: Readonly<Record<string, string>>) => {
    const url = new URL(window.location.href);
    for (const [name, value] of Object.entries(values)) {
      if (value) url.searchParams.set(name, value);
      else url.searchParams.delete(name);
    }
    router.open(url.href, { replace: true });
  };
  return {
    order,
    filters,
    active: Object.values(filters).filter(Boolean).length,
    variables: variablesOf(order, filters),
    filter: write,
    sortBy: ({ sort, isAscending }: Order) => write({ sort: sort === FIRST ? '' : sort, order: isAscending ? 'asc' : '' }),
  };
}
export type AgentList = ReturnType<typeof useAgentList>;

/** The texts of the filters in an address or in a form. */
export function textsOf(given: { readonly get: (name: string) => unknown }): Filters {
  const text = (name: keyof Filters) => String(given.get(name) ?? '').trim();
  return {
    claimed: text('claimed') === 'true' ? 'true' : '',
    name: text('name').slice(0, NAME_LENGTH),
    minHolders: text('minHolders'),
    minPrice: text('minPrice'),
    maxPrice: text('maxPrice'),
  };
}

/** The filters in an address, without those whose text is not valid. */
function filtersOf(address: URLSearchParams): Filters {
  const filters = textsOf(address);
  const wrong = Object.keys(faultsOf(filters)).map((name) => [name, '']);
  return { ...filters, ...Object.fromEntries(wrong) };
}

/** Maximum number of characters of a text that the service searches in names. */
export const NAME_LENGTH = 50;

/**
 * The variables of `agentListQuery`. Defaults are left out, because the service puts the answer to the query without variables
 * into the document, and the page finds that answer only by equal variables.
 */
function variablesOf({ sort, isAscending }: Order, filters: Filters): VariablesOf<typeof agentListQuery> {
  const { claimed, name, minHolders, minPrice, maxPrice } = filters;
  return {
    ...(sort !== FIRST && { sort: sorts[sort] }),
    ...(isAscending && { sortOrder: 'ASC' }),
    ...(claimed && { verified: true }),
    ...(name && { search: name }),
    ...(minHolders && { minHolder: Number(minHolders) }),
    ...(minPrice && { minPrice }),
    ...(maxPrice && { maxPrice }),
  };
}
