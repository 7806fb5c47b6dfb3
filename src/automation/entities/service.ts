/** Reads entities. Only operations change them: see `entity-executor.ts`. Source: contract 6, "Entities". */
import {
  findEntity,
  findEntityDefinition,
  listEntities,
  listEntitiesInState,
} from '../../../storage/automation/entities.ts'
import type { Store } from '../../../storage/store.ts'
import type { EntityRow } from '../../../storage/tables.ts'
import { notFound, orNotFound } from '../../platform/http/answers/errors.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { belowId, type PageRequest, readLargePage } from '../../platform/http/pagination.ts'
import { readJournal } from '../../runtime/journal.ts'
import { entityAddress } from './actor.ts'
import { type Entity, type EntityPath, type EntityQuery, type EntityTypePath, presentEntity } from './schema.ts'

export interface EntityParts {
  store: Store
  cursors: Cursors
}

export class Entities {
  constructor(private readonly parts: EntityParts) {}

  /** Newest first. Throws `notFound` for an unknown type, `invalid_cursor` (422). */
  async list({ organizationId }: Caller, path: EntityTypePath, query: EntityQuery) {
    const { store, cursors } = this.parts
    const { projectId, environmentId, type } = path
    const { state } = query
    const found = await readLargePage(
      { cursors, scope: { list: 'entities', organizationId, filters: { environmentId, type, state } } },
      query,
      (last, limit) => {
        const before = belowId(last)
        const values = { organizationId, environmentId, type, before, limit }
        return store.all<EntityRow>(
          state === undefined ? listEntities(store, values) : listEntitiesInState(store, { ...values, state }),
        )
      },
      ({ id }) => [id],
      presentEntity,
    )
    const isKnown = async () =>
      (await store.first(findEntityDefinition(store, { organizationId, projectId, name: type }))) !== undefined
    if (found.data.items.length === 0 && !(await isKnown())) throw notFound()
    return found
  }

  /** Throws `notFound`. */
  async get(caller: Caller, path: EntityPath): Promise<Entity> {
    return presentEntity(await this.#find(caller, path))
  }

  /** The journal, ascending. Throws `notFound`, `invalid_cursor` (422). */
  async transitions(caller: Caller, path: EntityPath, request: PageRequest) {
    const { id } = await this.#find(caller, path)
    return readJournal(this.parts, caller.organizationId, entityAddress(id), request)
  }

  async #find({ organizationId }: Caller, { environmentId, type, entityId: id }: EntityPath): Promise<EntityRow> {
    const { store } = this.parts
    return orNotFound(await store.first<EntityRow>(findEntity(store, { organizationId, environmentId, type, id })))
  }
}
