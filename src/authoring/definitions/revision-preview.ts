/** Previews the effect of a source on its Definition, before it is published. Source: contract 3, "entity source"; contract 6. */
import { entityChart } from '../../../machines/entity.ts'
import { countEntitiesInState, nextStateOfEntities } from '../../../storage/automation/entities.ts'
import type { Store } from '../../../storage/store.ts'
import type { DefinitionRow } from '../../../storage/tables.ts'
import { listEnvironments } from '../../../storage/tenancy/environments.ts'
import { digestOf } from '../../platform/http/digest.ts'
import { isWithinScope } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { describeOwn } from '../../runtime/statecharts/describe.ts'
import { chartOfEntity } from './entity-chart.ts'
import { countedMax, type RevisionPreview } from './schema.ts'
import type { DefinitionSource } from './source.ts'

/** The most states without a counterpart in the source that are reported for each Environment. */
const strandedMax = 100

interface PreviewedSource {
  definition: DefinitionRow
  /** Valid. */
  source: DefinitionSource
  /** The source of the latest revision; undefined before the first. */
  latestDigest: string | undefined
}

/** Reads only: of the entities, how many are in which state, never which. */
export async function previewRevision(
  store: Store,
  caller: Caller,
  { definition, source, latestDigest }: PreviewedSource,
): Promise<RevisionPreview> {
  const { name, project_id: projectId } = definition
  const sourceDigest = digestOf(source)
  const shared = { sourceDigest, isLatest: sourceDigest === latestDigest }
  if (!('states' in source)) return { ...shared, machine: null, stranded: null }
  const own = { title: `Entity ${name}`, machine: chartOfEntity(name, source.states) }
  const place = { projectId, environmentId: null, agentId: null }
  const mayRead = isWithinScope(caller, 'projects:read-runtime-data', place)
  return {
    ...shared,
    machine: describeOwn(entityChart, own),
    stranded: mayRead ? await strandedEntities(store, definition, new Set(Object.keys(source.states.states))) : null,
  }
}

/** From one state to the next by the index: entities in states that stay are never counted. */
async function strandedEntities(store: Store, definition: DefinitionRow, states: ReadonlySet<string>) {
  const { organization_id: organizationId, project_id: projectId, name: type } = definition
  const environments = await store.all(listEnvironments(store, { organizationId, projectId, after: '', limit: 10 }))
  const stranded: NonNullable<RevisionPreview['stranded']> = []
  for (const { id: environmentId } of environments) {
    const among = { organizationId, environmentId, type }
    let left = strandedMax
    let next = await store.first(nextStateOfEntities(store, { ...among, after: '' }))
    while (next && left > 0) {
      const { state } = next
      if (!states.has(state)) {
        const row = await store.first(countEntitiesInState(store, { ...among, state, max: countedMax + 1 }))
        const found = Number(row?.count ?? 0)
        stranded.push({ environmentId, state, count: Math.min(found, countedMax), hasMore: found > countedMax })
        left -= 1
      }
      next = await store.first(nextStateOfEntities(store, { ...among, after: state }))
    }
  }
  return stranded
}
