/** Reads the Environments of a Project and moves their lifecycle. Source: requirement 3; contract 2. */

import type { Store } from '../../../storage/store.ts'
import type { EnvironmentRow } from '../../../storage/tables.ts'
import { findEnvironment, listEnvironments } from '../../../storage/tenancy/environments.ts'
import { ApiError, invalid, lifecycleMismatch, orNotFound } from '../../platform/http/answers/errors.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { type PageRequest, readPage } from '../../platform/http/pagination.ts'
import type { Actors } from '../../runtime/actors.ts'
import { readJournal } from '../../runtime/journal.ts'
import { environmentAddress } from './actor.ts'
import { type Environment, type EnvironmentChanges, presentEnvironment } from './schema.ts'

export interface EnvironmentPath {
  projectId: string
  environmentId: string
}

export interface EnvironmentParts {
  store: Store
  actors: Actors
  cursors: Cursors
}

/** The command for each lifecycle; the statechart decides whether the move exists. */
const commands = { active: 'activate', provisioning: 'provision' } as const

export class Environments {
  constructor(private readonly parts: EnvironmentParts) {}

  /** Development, Preview, Production; a key bound to one of them gets only that one. Throws `invalid_cursor` (422). */
  list(caller: Caller, projectId: string, request: PageRequest) {
    const { store, cursors } = this.parts
    const { organizationId, scope } = caller
    return readPage(
      { cursors, scope: { list: 'environments', organizationId, filters: { projectId } } },
      request,
      (last, limit) => {
        const after = (last?.[0] ?? '') as EnvironmentRow['kind'] | ''
        if (scope.environmentId === null) {
          return store.all(listEnvironments(store, { organizationId, projectId, after, limit }))
        }
        const own = { organizationId, projectId, id: scope.environmentId }
        return after === '' ? store.all(findEnvironment(store, own)) : Promise.resolve([])
      },
      ({ kind }) => [kind],
      presentEnvironment,
    )
  }

  /** Throws `notFound`. */
  async get(caller: Caller, path: EnvironmentPath): Promise<Environment> {
    return presentEnvironment(await this.#find(caller, path))
  }

  /**
   * Moves the Environment to another lifecycle, or changes nothing if none is given. Throws `notFound`; 422 for one field
   * without the other; `lifecycle_mismatch` (409) if the current lifecycle is not the expected one, `invalid_transition` (409)
   * if there is no such move.
   */
  async change(
    caller: Caller,
    path: EnvironmentPath,
    { lifecycle, expectedLifecycle }: EnvironmentChanges,
    record: RequestRecord,
  ): Promise<Environment> {
    const { store, actors } = this.parts
    const row = await this.#find(caller, path)
    if (lifecycle === undefined || expectedLifecycle === undefined) {
      if (lifecycle !== expectedLifecycle) throw incomplete(lifecycle === undefined)
      const data = presentEnvironment(row)
      await store.commit(record({ data }))
      return data
    }
    try {
      const { actor } = await actors.send<EnvironmentRow>(
        environmentAddress(row.id),
        { type: commands[lifecycle], expected: expectedLifecycle },
        {
          by: caller.principal,
          writes: ({ actor: { row: after } }) => record({ data: presentEnvironment(after) }, presentEnvironment(row)),
        },
      )
      return presentEnvironment(actor.row)
    } catch (error) {
      const state = error instanceof ApiError && error.code === 'invalid_transition' && error.details?.currentState
      throw typeof state === 'string' && state !== expectedLifecycle ? lifecycleMismatch(state) : error
    }
  }

  /** The journal, ascending. Throws `notFound`, `invalid_cursor` (422). */
  async transitions(caller: Caller, path: EnvironmentPath, request: PageRequest) {
    const { id } = await this.#find(caller, path)
    return readJournal(this.parts, caller.organizationId, environmentAddress(id), request)
  }

  async #find({ organizationId }: Caller, { projectId, environmentId }: EnvironmentPath): Promise<EnvironmentRow> {
    const { store } = this.parts
    return orNotFound(await store.first(findEnvironment(store, { organizationId, projectId, id: environmentId })))
  }
}

/** One of the two fields is missing. */
function incomplete(lifecycleIsMissing: boolean) {
  const names = ['lifecycle', 'expectedLifecycle']
  const [missing, given] = lifecycleIsMissing ? names : names.reverse()
  return invalid([{ path: `/body/${missing}`, message: `Must be given together with ${given}.` }])
}
