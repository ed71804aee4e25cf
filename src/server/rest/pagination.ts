import { z } from 'zod';

/** Position of an answer in a list that is read page by page. */
export const pagination = z
  .object({
    page: z.int().describe('Number of this page, from 1.'),
    limit: z.int().describe('Maximum number of rows per page.'),
    total: z.int().describe('Number of rows on all pages together.'),
    totalPages: z.int().describe('Number of pages. 0 if the list is empty.'),
    hasMore: z.boolean().describe('Whether a page follows this one.'),
  })
  .meta({ id: 'Pagination' });

export function paginationOf(page: number, limit: number, total: number): z.input<typeof pagination> {
  const totalPages = Math.ceil(total / limit);
  return { page, limit, total, totalPages, hasMore: page < totalPages };
}
