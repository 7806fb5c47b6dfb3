/** The Definitions of a Project: their identity and metadata. Source: requirement 1, "Delivery path"; contract 3. */

import type { AuthoredKey } from '../../../storage/authoring/authored.ts'
import {
  deleteDefinition,
  describeDefinition,
  findDefinition,
  insertDefinition,
  listDefinitions,
  renameDefinition,
} from '../../../storage/authoring/definitions.ts'
import { withinBound } from '../../../storage/bounds.ts'
import { newId } from '../../../storage/ids.ts'
import type { Store } from '../../../storage/store.ts'
import type { DefinitionRow } from '../../../storage/tables.ts'
import { ApiError, deletionInProgress, nameTaken, orNotFound } from '../../platform/http/answers/errors.ts'
import { commitOr } from '../../platform/http/changes/commit.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { belowId, type PageRequestByName } from '../../platform/http/pagination.ts'
import { readSearchedPage } from '../../platform/http/searched-page.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { presentDefinition } from './present.ts'
import type { Definition, DefinitionChanges, NewDefinition } from './schema.ts'

export interface DefinitionParts {
  store: Store
  clock: Pick<Clock, 'now'>
  cursors: Cursors
}

/** The ids in the path of a Definition. */
export interface DefinitionPlace {
  projectId: string
  definitionId: string
}

export const keyOf = ({ organizationId }: Caller, { projectId, definitionId }: DefinitionPlace): AuthoredKey => ({
  organizationId,
  projectId,
  id: definitionId,
})

export class Definitions {
  constructor(private readonly parts: DefinitionParts) {}

  /** Newest first. Throws `invalid_cursor` (422). */
  list({ organizationId }: Caller, projectId: string, { name, ...request }: PageRequestByName & { search?: string }) {
    const { store, cursors } = this.parts
    const scope = { list: 'definitions', organizationId, filters: { projectId, name, search: request.search } }
    return readSearchedPage(
      { cursors, scope },
      request,
      (after, limit) => {
        const before = belowId(after)
        return store.all(listDefinitions(store, { organizationId, projectId, named: name ?? null, before, limit }))
      },
      ({ id }) => [id],
      presentDefinition,
      ({ name, kind }) => `${name} ${kind}`,
    )
  }

  /** Throws `notFound`. */
  async get(caller: Caller, place: DefinitionPlace): Promise<Definition> {
    return presentDefinition(await this.find(keyOf(caller, place)))
  }

  /** An identity without a revision. Throws `name_taken` and `deletion_in_progress` (409). */
  async create(caller: Caller, projectId: string, body: NewDefinition, record: RequestRecord): Promise<Definition> {
    const { store, clock } = this.parts
    const now = clock.now()
    const row: DefinitionRow = {
      id: newId('def', now),
      organization_id: caller.organizationId,
      project_id: projectId,
      name: body.name,
      kind: body.kind,
      description: body.description ?? null,
      status: 'active',
      latest_revision_id: null,
      created_at: now,
      updated_at: now,
    }
    const definition = presentDefinition(row)
    await commitOr(store, { unique: taken, stale: deletionInProgress }, [
      insertDefinition(store, row),
      withinBound(store, 'definitions', row.organization_id, projectId),
      ...record({ data: definition }),
    ])
    return definition
  }

  /**
   * Changes what is given, and no revision. Throws `notFound`, `name_taken` (409), and `definition_in_use` (409) for
   * another name while a Release pins it.
   */
  async update(
    caller: Caller,
    place: DefinitionPlace,
    changes: DefinitionChanges,
    record: RequestRecord,
  ): Promise<Definition> {
    const { store, clock } = this.parts
    const { name, description } = changes
    const key = keyOf(caller, place)
    const at = clock.now()
    const before = presentDefinition(await this.find(key))
    await commitOr(store, { unique: taken, stale: () => this.find(key).then(nameInUse) }, [
      ...(name === undefined ? [] : [renameDefinition(store, { ...key, name, at })]),
      ...(description === undefined ? [] : [describeDefinition(store, { ...key, description, at })]),
      ...record({ data: { id: key.id } }, before),
    ])
    return presentDefinition(await this.find(key))
  }

  /** Takes its revisions along, which are removed in the background. Throws `notFound`, and `definition_in_use` (409) while an active Deployment pins it. */
  async delete(caller: Caller, place: DefinitionPlace, record: RequestRecord): Promise<void> {
    const { store } = this.parts
    const key = keyOf(caller, place)
    await commitOr(store, { stale: () => this.find(key).then(inUse) }, [
      deleteDefinition(store, key),
      ...record(undefined),
    ])
  }

  /** Throws `notFound`. */
  async find(key: AuthoredKey): Promise<DefinitionRow> {
    return orNotFound(await this.parts.store.first(findDefinition(this.parts.store, key)))
  }
}

const taken = { 'definitions.name': () => nameTaken('Definition of the Project', 409) }
const inUse = () => {
  const message = 'The Release of an active Deployment pins the Definition; first activate a Deployment without it.'
  return new ApiError(409, 'definition_in_use', message)
}
const nameInUse = () => {
  const message = 'A Release pins the Definition under its name; only the description can change.'
  return new ApiError(409, 'definition_in_use', message)
}
