/** Searches an organization for Projects, Environments, Agents and Definitions whose names contain given words. */
import { type SelectQueryBuilder, sql } from 'kysely'
import { holds, textsOf } from '../by-engine.ts'
import { untyped } from '../rows.ts'
import { query } from '../statement.ts'
import type { Store } from '../store.ts'

export const namedKinds = ['Project', 'Environment', 'Agent', 'Definition'] as const
export type NamedKind = (typeof namedKinds)[number]

export interface NamedRow {
  id: string
  name: string
  slug: string | null
  /** All that is searched: the name, the slug or the kind, and the name of the Project. */
  words: string
  project_id: string
  project_name: string
}

/** The maximum number of words in a search; further words are ignored. */
export const wordsMax = 4
/** The maximum number of rows scanned of each kind, from the newest Projects first. */
export const lookedMax = 5_000
/** The maximum number of matches to read; `lookedMax` for words that the engine can only compare in part. */
const foundMax = 500

interface Sought {
  organizationId: string
  /** A JSON array of ids; null: all of the organization. */
  projects: string | null
  /** In lower case; the empty word matches every name. */
  one: string
  two: string
  three: string
  four: string
  limit: number
}

const lowered = sql`lower(${sql.ref('looked.words')})`

type AnySelect = SelectQueryBuilder<Record<string, Record<string, unknown>>, never, object>

interface KindNamed {
  table: string
  slug: string | null
  more: string
  /** Whether a row with the status `deleting` is deleted for everybody. */
  endsHidden?: boolean
}

const kinds: Record<NamedKind, KindNamed> = {
  Project: { table: 'projects', slug: 'projects.slug', more: 'slug' },
  Environment: { table: 'environments', slug: null, more: 'kind' },
  Agent: { table: 'agents', slug: 'agents.slug', more: 'slug' },
  Definition: { table: 'definitions', slug: null, more: 'kind', endsHidden: true },
}

/**
 * Limits the rows before matching them, so that a large organization does not slow down the others; and to the given
 * Projects before that, so that those of other Projects leave room for theirs.
 */
const search = ({ table, slug, more, endsHidden = false }: KindNamed, isAmong: boolean) =>
  query((db, { organizationId, projects: ids, one, two, three, four, limit }: Sought) => {
    const isProject = table === 'projects'
    const projects = untyped(db).selectFrom('projects') as unknown as AnySelect
    const joined = isProject ? projects : projects.innerJoin(table, `${table}.project_id`, 'projects.id')
    const looked = (joined as AnySelect)
      .select([
        sql.ref<string>(`${table}.id`).as('id'),
        sql.ref<string>(`${table}.name`).as('name'),
        (slug === null ? sql<string | null>`null` : sql.ref<string | null>(slug)).as('slug'),
        sql.ref<string>('projects.id').as('project_id'),
        sql.ref<string>('projects.name').as('project_name'),
        sql<string>`${sql.ref(`${table}.name`)} || ' ' || ${sql.ref(`${table}.${more}`)} || ' ' ||
          ${isProject ? sql.lit('') : sql.ref('projects.name')}`.as('words'),
      ])
      .where('projects.organization_id' as never, '=', organizationId as never)
      .$if(isAmong, (among) => among.where('projects.id' as never, 'in', textsOf(ids as string) as never))
      .$if(endsHidden, (all) => all.where(`${table}.status` as never, '<>', 'deleting' as never))
      .orderBy('projects.id' as never, 'desc')
      .limit(lookedMax)
      .as('looked')
    return (untyped(db).selectFrom(looked as never) as unknown as AnySelect)
      .select(['id', 'name', 'slug', 'words', 'project_id', 'project_name'] as never)
      .where(holds(lowered, one))
      .where(holds(lowered, two))
      .where(holds(lowered, three))
      .where(holds(lowered, four))
      .limit(limit)
      .$castTo<NamedRow>()
  })

const searchesOf = (isAmong: boolean) => {
  const of = (kind: NamedKind) => search(kinds[kind], isAmong)
  return { Project: of('Project'), Environment: of('Environment'), Agent: of('Agent'), Definition: of('Definition') }
}
const searches = searchesOf(false)
const searchesAmong = searchesOf(true)

/** What the engines lower alike: the longest part of a word within ASCII. */
const comparable = (word: string): string =>
  word
    .normalize('NFC')
    .split(/[^!-~]+/)
    .reduce((longest, part) => (part.length > longest.length ? part : longest), '')
    .toLowerCase()

/**
 * The resources of a kind that may have all of the words in their name, slug or kind, or in their Project's name: engines
 * know the cases of ASCII only, so the caller compares the rest. `among`: the ids of the Projects; undefined: all.
 */
export function findNamed(
  store: Store,
  kind: NamedKind,
  { organizationId, among }: { organizationId: string; among: readonly string[] | undefined },
  words: readonly string[],
): Promise<NamedRow[]> {
  const parts = words.map(comparable)
  const [one = '', two = '', three = '', four = ''] = parts
  const isWhole = parts.every((part, place) => part === words[place])
  const limit = isWhole ? foundMax : lookedMax
  const projects = among === undefined ? null : JSON.stringify(among)
  const find = among === undefined ? searches[kind] : searchesAmong[kind]
  return store.all(find(store, { organizationId, projects, one, two, three, four, limit }))
}
