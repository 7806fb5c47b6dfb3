/** Finds by name what is in the Projects that a caller may look into. */
import { type Static, Type } from '@sinclair/typebox'
import type { Store } from '../../../storage/store.ts'
import { findNamed, type NamedKind, type NamedRow, namedKinds, wordsMax } from '../../../storage/tenancy/names.ts'
import { isWithinScope, partsInScope } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Permission } from '../../platform/http/guard/permissions.ts'
import { Id, nullable, oneOf } from '../../platform/http/schema.ts'
import { searchFor } from '../../platform/http/search.ts'

/** What lists them. */
export const searchPermissions: Record<NamedKind, Permission> = {
  Project: 'projects:list',
  Environment: 'projects:get',
  Agent: 'agents:list',
  Definition: 'definitions:list',
}

export const ResourceSearch = Type.Object({
  search: Type.String({
    minLength: 1,
    maxLength: 200,
    description:
      `Words, of which the first ${wordsMax} count: each is part of the name, the slug or the kind, or of the name of ` +
      'the Project. Upper and lower case are the same.',
    examples: ['clerk'],
  }),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'How many are answered at most.' }),
})

export const NamedResource = Type.Object(
  {
    id: Type.String({ description: 'As it is in paths.' }),
    kind: oneOf(namedKinds, { description: 'What it is.' }),
    name: Type.String(),
    slug: nullable(Type.String({ description: 'Null for what has none: Environments and Definitions.' })),
    projectId: Id('prj', 'The Project that it is in, or that it is.'),
    projectName: Type.String(),
  },
  { $id: 'NamedResource' },
)
type Named = Static<typeof NamedResource>

/** What is called exactly so first, then what begins so, then the rest; each in the order in which it was found. */
const rankOf = ({ name, slug }: Named, asked: string): number => {
  const names = [name.toLowerCase(), slug ?? '']
  if (names.includes(asked)) return 0
  return names.some((each) => each.startsWith(asked)) ? 1 : 2
}

/** Newer Projects first, and in each what is older. */
const byProject = (one: NamedRow, other: NamedRow): number =>
  one.project_id === other.project_id ? (one.id < other.id ? -1 : 1) : one.project_id > other.project_id ? -1 : 1

const present = (kind: NamedKind, row: NamedRow): Named => ({
  id: row.id,
  kind,
  name: row.name,
  slug: row.slug,
  projectId: row.project_id,
  projectName: row.project_name,
})

const isVisible = (caller: Caller, { id, kind, projectId }: Named): boolean => {
  const { scope } = caller
  return isWithinScope(caller, searchPermissions[kind], {
    projectId,
    environmentId: kind === 'Environment' ? id : scope.environmentId,
    agentId: kind === 'Agent' ? id : scope.agentId,
  })
}

/** The Projects that are looked through; undefined for all of the organization. */
const reached = (caller: Caller, kind: NamedKind): string[] | undefined => {
  const anywhere: { projectId?: string } = {}
  const parts = partsInScope(caller, searchPermissions[kind], anywhere)
  const projects = parts.flatMap(({ projectId }) => (projectId === undefined ? [] : [projectId]))
  return projects.length === parts.length ? projects : undefined
}

/** Nothing for a text without a word. */
export async function searchNamed(
  store: Store,
  caller: Caller,
  { search, limit }: Static<typeof ResourceSearch>,
): Promise<Named[]> {
  const asked = search.trim().toLowerCase()
  const words = asked
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, wordsMax)
  if (words.length === 0) return []
  const isFound = searchFor(words.join(' '))
  const found = await Promise.all(
    namedKinds.map(async (kind) =>
      (await findNamed(store, kind, { organizationId: caller.organizationId, among: reached(caller, kind) }, words))
        .filter((row) => isFound(row.words))
        .sort(byProject)
        .map((row) => present(kind, row)),
    ),
  )
  const visible = found.flat().filter((each) => isVisible(caller, each))
  return visible
    .map((each) => ({ each, rank: rankOf(each, asked) }))
    .sort((one, other) => one.rank - other.rank)
    .slice(0, limit)
    .map(({ each }) => each)
}
