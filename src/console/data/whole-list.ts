/** All pages of a list, up to a bound, for select options and comparisons. */
import { type Answer, type BodyOf, sent } from '../api/client.ts'
import type { ItemOf, PageQuery } from './pages.ts'

const pageSize = 100

interface ListBody {
  data: { items: unknown[] }
  pagination: { hasMore: boolean; nextCursor?: string }
}

/** Resolves to at most `itemsMax` items. Rejects with `ApiFailure`. */
export async function wholeList<Answered extends Answer>(
  read: (page: PageQuery) => Promise<Answered>,
  itemsMax = 1_000,
): Promise<ItemOf<BodyOf<Answered>>[]> {
  const items: unknown[] = []
  let cursor: string | undefined
  do {
    const { data, pagination } = (await sent(
      read(cursor === undefined ? { limit: pageSize } : { limit: pageSize, cursor }),
    )) as unknown as ListBody
    items.push(...data.items)
    cursor = pagination.hasMore ? pagination.nextCursor : undefined
  } while (cursor !== undefined && items.length < itemsMax)
  return items as ItemOf<BodyOf<Answered>>[]
}
