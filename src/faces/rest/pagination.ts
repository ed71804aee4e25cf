import { z } from 'zod';

/** Which page of a list an answer holds. */
export const pagination = z
  .object({
    page: z.int(),
    limit: z.int(),
    total: z.int(),
    totalPages: z.int(),
    hasMore: z.boolean(),
  })
  .meta({ id: 'Pagination' });

export function paginationOf(page: number, limit: number, total: number): z.input<typeof pagination> {
  const totalPages = Math.ceil(total / limit);
  return { page, limit, total, totalPages, hasMore: page < totalPages };
}
