/** Cursor-paginated lists: only one page is rendered at a time. */
import { useState } from 'react'
import { type Answer, type BodyOf, sent } from '../api/client.ts'
import type { Key } from './queries.ts'
import { type ReadOptions, type Resource, useReading } from './resource.ts'

/** Item type of a list response, whatever its field is called. */
export type ItemOf<Body> = Body extends { data: { items: (infer Item)[] } }
  ? Item
  : Body extends { agentRuns: (infer Item)[] }
    ? Item
    : Body extends { events: (infer Item)[] }
      ? Item
      : never

export interface PagesOptions<Item> {
  limit?: number
  /** Refetch interval of the current page; pages count from 1. */
  every?: number | ((items: Item[] | undefined, page: number) => number | null)
}

/** Query of every list; spread it beside the filters. */
export interface PageQuery {
  limit: number
  cursor?: string
}

export interface Pages<Item> extends Omit<Resource<Item[]>, 'value'> {
  /** Items of the current page; undefined while loading. */
  items: Item[] | undefined
  /** Counted from 1. */
  page: number
  /** Opens the next page; undefined on the last page. */
  next: (() => void) | undefined
  /** Opens the previous page; undefined on the first page. */
  previous: (() => void) | undefined
}

interface ListBody {
  data?: { items: unknown[] }
  agentRuns?: unknown[]
  events?: unknown[]
  pagination?: { hasMore: boolean; nextCursor?: string }
}

const itemsIn = ({ data, agentRuns, events }: ListBody) => agentRuns ?? events ?? data?.items ?? []

const first: (string | undefined)[] = [undefined]

interface Kept {
  pages?: Record<string, (string | undefined)[]>
}

/** The page of a list is stored in the history entry: reloading and going back show the same page. */
const trailKept = (list: string): (string | undefined)[] => {
  const trail = (history.state as Kept | null)?.pages?.[list]
  // validate: JSON has no undefined, and any script of the page can write there
  return Array.isArray(trail) ? [undefined, ...trail.slice(1).map(String)] : first
}
function keepTrail(list: string, cursors: (string | undefined)[]): void {
  const now = (history.state ?? {}) as Kept
  // the address stays, so the router need not be notified
  History.prototype.replaceState.call(history, { ...now, pages: { ...now.pages, [list]: cursors } }, '')
}

/**
 * A list, one page at a time. A new key (other filters) starts at page 1.
 *
 *     const projects = usePages(['projects'], (options, page) => api.v1.projects.get({ ...options, query: page }))
 */
export function usePages<Answered extends Answer>(
  key: Key | null,
  read: (options: ReadOptions, page: PageQuery) => Promise<Answered>,
  { limit = 50, every }: PagesOptions<ItemOf<BodyOf<Answered>>> = {},
): Pages<ItemOf<BodyOf<Answered>>> {
  const list = JSON.stringify(key)
  const [trail, setTrail] = useState(() => ({ list, cursors: trailKept(list) }))
  const cursors = trail.list === list ? trail.cursors : first
  const cursor = cursors.at(-1)
  const itemsOf = (body: ListBody | undefined) => body && (itemsIn(body) as ItemOf<BodyOf<Answered>>[])
  const { value, ...resource } = useReading(
    key === null ? null : [...key, 'page', limit, cursor],
    (options) => sent(read(options, cursor === undefined ? { limit } : { limit, cursor })),
    {
      every:
        typeof every === 'function'
          ? (body) => every(itemsOf(body as ListBody | undefined), cursors.length)
          : (every ?? null),
    },
  )
  const body = value as ListBody | undefined
  const nextCursor = body?.pagination?.hasMore ? body.pagination.nextCursor : undefined
  const goTo = (cursors: (string | undefined)[]) => {
    keepTrail(list, cursors)
    setTrail({ list, cursors })
  }
  return {
    ...resource,
    items: itemsOf(body),
    page: cursors.length,
    next: nextCursor === undefined ? undefined : () => goTo([...cursors, nextCursor]),
    previous: cursors.length === 1 ? undefined : () => goTo(cursors.slice(0, -1)),
  }
}
