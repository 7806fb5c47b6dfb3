/** Counts and lists the actors of a kind by state and age, from counters, without a scan. Source: contract 13, "Fleet". */
import type { Chart } from '../../../../machines/charts/chart.ts'
import { deleted } from '../../../../machines/entity.ts'
import {
  type ActorInState,
  type Counted,
  type FleetKind,
  first,
  listInState,
  listStays,
} from '../../../../storage/runtime/fleet.ts'
import type { Store } from '../../../../storage/store.ts'
import { invalid, orNotFound } from '../../../platform/http/answers/errors.ts'
import { orNoSuch } from '../../../platform/http/answers/references.ts'
import type { Cursors } from '../../../platform/http/cursor.ts'
import type { Caller } from '../../../platform/http/guard/caller.ts'
import type { Permission } from '../../../platform/http/guard/permissions.ts'
import { type PageRequest, readPage } from '../../../platform/http/pagination.ts'
import { timestamp } from '../../../platform/http/timestamp.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { nextTurn } from '../../../platform/time/next-turn.ts'
import type { AnyKind } from '../../kind.ts'
import { describeChart } from '../describe.ts'
import { countsIn, type Narrowing, partsFor, placeOf, type ShownKind } from './reach.ts'

export interface FleetParts {
  store: Store
  clock: Clock
  cursors: Cursors
  charts: readonly Chart[]
  /** Kinds with a view, which can be counted. */
  kinds: readonly AnyKind[]
}

interface ActorsRequest extends PageRequest, Narrowing {
  kind: string
  state?: string
  olderThanSeconds?: number
}

/** The most reads in one turn of the event loop. */
const looksAtOnce = 50

/** Deleted actors are not shown, although their rows are kept for a while. */
const isShown = ({ state }: Counted) => state !== deleted

const oldestFirst = (one: ActorInState, other: ActorInState) =>
  one.since - other.since || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0)

/** The quantile of sorted values in milliseconds, in seconds; null if there are none. */
function percentile(milliseconds: readonly number[], share: number): number | null {
  const found = milliseconds[Math.max(0, Math.ceil(share * milliseconds.length) - 1)]
  return found === undefined ? null : found / 1_000
}

export class Fleet {
  readonly #shown = new Map<string, ShownKind>()

  constructor(private readonly parts: FleetParts) {
    for (const { kind, view } of parts.kinds) if (view) this.#shown.set(kind, { kind, view })
  }

  /** The kind that a query names. Throws `noSuch`. */
  #asked(kind: string): ShownKind {
    return orNoSuch(this.#shown.get(kind), 'kind of actor', '/query/kind')
  }

  /** The kind and its view. Throws `not_found` for an unknown kind. */
  shown(kind: string): ShownKind {
    return orNotFound(this.#shown.get(kind))
  }

  /** The permissions to read any of the kinds. */
  get permissions(): Permission[] {
    return [...this.#shown.values()].flatMap(({ view }) => [view.permission, ...(view.orPermissions ?? [])])
  }

  /** All states of the kind, including empty ones. Throws as `partsFor`. */
  async population(caller: Caller, kind: string, filters: Narrowing) {
    const { store, clock } = this.parts
    const shown = this.shown(kind)
    const takenAt = clock.now()
    const parts = await partsFor(store, shown, caller, filters)
    const counts = new Map<string, { count: number; oldest: number | null }>()
    for (const state of this.#statesOf(kind)) counts.set(state, { count: 0, oldest: null })
    let looks = 0
    for (const part of parts) {
      for (const { place, state, count } of await this.#counts(kind, part)) {
        const known = counts.get(state) ?? { count: 0, oldest: null }
        const oldest = await this.#oldest(kind, place, state)
        known.count += Number(count)
        known.oldest = oldest === undefined ? known.oldest : Math.min(oldest, known.oldest ?? oldest)
        counts.set(state, known)
        looks += 1
        if (looks % looksAtOnce === 0) await nextTurn()
      }
    }
    const stays = await this.#stays(kind, parts.map(placeOf))
    return {
      states: [...counts].map(([state, { count, oldest }]) => {
        const milliseconds = stays.get(state) ?? []
        return {
          state,
          count,
          oldestSince: oldest === null ? null : timestamp(oldest),
          secondsInState: { p50: percentile(milliseconds, 0.5), p95: percentile(milliseconds, 0.95) },
        }
      }),
      takenAt: timestamp(takenAt),
    }
  }

  /** The actors that have been in their state longest come first. Throws as `partsFor`, and `invalid_cursor` (422). */
  async list(caller: Caller, { kind, state, olderThanSeconds, limit, cursor, ...asked }: ActorsRequest) {
    const { store, clock, cursors } = this.parts
    const shown = this.#asked(kind)
    const parts = await partsFor(store, shown, caller, asked)
    const states = this.#statesOf(kind)
    if (state !== undefined && states.length > 0 && !states.includes(state)) {
      throw invalid([{ path: '/query/state', message: `Must be one of ${states.join(', ')}.` }])
    }
    const until = olderThanSeconds === undefined ? Number.MAX_SAFE_INTEGER : clock.now() - olderThanSeconds * 1_000
    const filters = { kind, state, olderThanSeconds, ...asked }
    const scope = { list: 'actors', organizationId: caller.organizationId, filters }
    return readPage(
      { cursors, scope },
      { limit, ...(cursor !== undefined && { cursor }) },
      async (position, rows) => {
        const after = position ? { since: Number(position[0]), id: String(position[1]) } : first
        const found: Counted[] = []
        for (const part of parts) found.push(...(await this.#counts(kind, part)))
        const walks = found.filter((each) => state === undefined || each.state === state)
        return this.#merged(walks, (walk, most) =>
          listInState(store, kind as FleetKind, { ...walk, after, until, limit: most }).then((page) =>
            page.map((actor) => ({ ...actor, state: walk.state })),
          ),
        )(rows)
      },
      ({ since, id }) => [since, id],
      ({ id, state: now, since, project_id, environment_id }) => ({
        kind,
        id,
        state: now,
        since: timestamp(since),
        projectId: project_id,
        environmentId: environment_id,
      }),
    )
  }

  /** Merges the first entries of sorted lists; only lists that begin early enough are read further. */
  #merged<Walk, Row extends ActorInState>(walks: readonly Walk[], read: (walk: Walk, most: number) => Promise<Row[]>) {
    const each = async (some: readonly Walk[], most: number) => {
      const pages: { walk: Walk; rows: Row[] }[] = []
      for (const [index, walk] of some.entries()) {
        if (index > 0 && index % looksAtOnce === 0) await nextTurn()
        const rows = await read(walk, most)
        if (rows.length > 0) pages.push({ walk, rows })
      }
      return pages
    }
    return async (most: number): Promise<Row[]> => {
      const heads = await each(walks, 1)
      const early = heads.sort((one, other) => oldestFirst(one.rows[0] as Row, other.rows[0] as Row)).slice(0, most)
      const pages = await each(
        early.map(({ walk }) => walk),
        most,
      )
      return pages
        .flatMap(({ rows }) => rows)
        .sort(oldestFirst)
        .slice(0, most)
    }
  }

  /** Undefined if each actor may have its own states. */
  #statesOf(kind: string): readonly string[] {
    const chart = kind === 'entity' ? undefined : this.parts.charts.find(({ machine }) => machine.id === kind)
    return chart ? describeChart(chart).states : []
  }

  async #counts(kind: string, part: Parameters<typeof countsIn>[2]): Promise<Counted[]> {
    return (await countsIn(this.parts.store, kind as FleetKind, part)).filter(isShown)
  }

  async #oldest(kind: string, place: string, state: string): Promise<number | undefined> {
    const only = { place, state, after: first, until: Number.MAX_SAFE_INTEGER, limit: 1 }
    return (await listInState(this.parts.store, kind as FleetKind, only))[0]?.since
  }

  /** How long the actors that left each state had been in it, ascending. */
  async #stays(kind: string, places: readonly string[]): Promise<Map<string, number[]>> {
    const { store } = this.parts
    const stays = new Map<string, number[]>()
    for (const place of places) {
      for (const { state, milliseconds } of await store.all(listStays(store, { kind, place }))) {
        stays.set(state, [...(stays.get(state) ?? []), ...(JSON.parse(milliseconds) as number[])])
      }
      if (places.length > 1) await nextTurn()
    }
    for (const milliseconds of stays.values()) milliseconds.sort((one, other) => one - other)
    return stays
  }
}
