/** Creates, changes and deletes variables. Each value or source is an immutable version. Source: requirement 4.11; contract 4. */

import { withinBound } from '../../../storage/bounds.ts'
import {
  countVariables,
  deleteUnpinnedVariable,
  findVariable,
  insertVariable,
  insertVariableVersion,
  listVariables,
  updateVariable,
  type VariableKey,
  type VariableScope,
} from '../../../storage/delivery/variables.ts'
import { newId } from '../../../storage/ids.ts'
import type { Store } from '../../../storage/store.ts'
import type { VariableRow, VariableVersionRow } from '../../../storage/tables.ts'
import {
  ApiError,
  deletionInProgress,
  invalid,
  limitExceeded,
  nameTaken,
  notFound,
  orNotFound,
} from '../../platform/http/answers/errors.ts'
import { orNoSuch } from '../../platform/http/answers/references.ts'
import { commitOr } from '../../platform/http/changes/commit.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import { retryOnConflict } from '../../platform/http/changes/retry-on-conflict.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Tree } from '../../platform/http/guard/parts.ts'
import { belowId, type PageRequestByName, readPage } from '../../platform/http/pagination.ts'
import type { Vault } from '../../platform/secrets/vault.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { versionOf } from './contents.ts'
import { presentVariable, type ShownVariable } from './present.ts'
import { bindingIssues, contentIssues } from './rules.ts'
import type { NewVariable, Variable, VariableChanges } from './schema.ts'

/** The most variables of one Environment: a snapshot of its configuration includes all of them. */
export const variablesMax = 1_000
export interface VariablesParts {
  store: Store
  clock: Pick<Clock, 'now'>
  cursors: Cursors
  vault: Vault
  tree: Tree
}

/** The Environment of a path. */
interface EnvironmentPlace {
  projectId: string
  environmentId: string
}

/** The variable of a path. */
interface VariablePlace extends EnvironmentPlace {
  variableId: string
}

export class Variables {
  constructor(private readonly parts: VariablesParts) {}

  /** Newest first; a key bound to an Agent gets the variables that the Agent may use. Throws `invalid_cursor` (422). */
  list(caller: Caller, place: EnvironmentPlace, { name, ...request }: PageRequestByName) {
    const { store, cursors } = this.parts
    const { organizationId } = caller
    const { projectId, environmentId } = place
    const { agentId } = caller.scope
    const filters = { environmentId, name, ...(agentId !== null && { agentId }) }
    return readPage(
      { cursors, scope: { list: 'variables', organizationId, filters } },
      request,
      (last, limit) => {
        const asked = { agentId, named: name ?? null, before: belowId(last), limit }
        return store.all<ShownVariable>(listVariables(store, { organizationId, projectId, environmentId, ...asked }))
      },
      ({ id }) => [id],
      presentVariable,
    )
  }

  /** Throws `notFound`, also for the variable of another Agent than the key's. */
  async get(caller: Caller, place: VariablePlace): Promise<Variable> {
    const row = await this.#find(keyOf(caller, place))
    const { agentId } = caller.scope
    if (agentId !== null && row.agent_id !== null && row.agent_id !== agentId) throw notFound()
    return presentVariable(row)
  }

  /**
   * Creates it with the value or source as version 1. Throws `validation_failed`, `limit_exceeded` (422); `notFound` for a missing
   * source or Agent; `name_taken`, `deletion_in_progress` (409).
   */
  async create(caller: Caller, place: EnvironmentPlace, body: NewVariable, record: RequestRecord): Promise<Variable> {
    const { store, clock } = this.parts
    const { organizationId } = caller
    const { projectId, environmentId } = place
    assertFits([...contentIssues(body, true), ...bindingIssues(body)])
    const now = clock.now()
    const row: VariableRow = {
      id: newId('var', now),
      organization_id: organizationId,
      environment_id: environmentId,
      name: body.name,
      description: body.description ?? null,
      status: 'active',
      version: 1,
      agent_id: body.agentId ?? null,
      binding_key: body.bindingKey ?? null,
      created_at: now,
      updated_at: now,
    }
    const reference = { organizationId, variableId: row.id, version: 1 }
    return retryOnConflict(async () => {
      const version = (await versionOf(this.parts, reference, body, now)) as VariableVersionRow
      const data = presentVariable({ ...version, ...row })
      await this.#assertRoom({ organizationId, projectId, environmentId }, row.agent_id)
      await this.#commit([
        insertVariable(store, { ...row, projectId, variablesMax }),
        insertVariableVersion(store, version),
        ...record({ data }),
      ])
      return data
    })
  }

  /**
   * Changes the given fields; a value or a source becomes the next version. Throws `validation_failed`, `limit_exceeded` (422); `notFound`,
   * also for a source or an Agent; `name_taken`, `deletion_in_progress` (409).
   */
  async change(
    caller: Caller,
    place: VariablePlace,
    changes: VariableChanges,
    record: RequestRecord,
  ): Promise<Variable> {
    assertFits([...contentIssues(changes, false), ...bindingIssues(changes)])
    const key = keyOf(caller, place)
    await retryOnConflict(() => this.#change(key, changes, record))
    return presentVariable(await this.#find(key))
  }

  /**
   * Deletes it with its versions, which are removed in the background, and returns it. Throws `notFound`,
   * `variable_in_use` (409).
   */
  async remove(caller: Caller, place: VariablePlace, record: RequestRecord): Promise<Variable> {
    const { store } = this.parts
    const key = keyOf(caller, place)
    const data = presentVariable(await this.#find(key))
    // deleted since it was read, or pinned
    await commitOr(store, { stale: () => this.#find(key).then(inUse) }, [
      deleteUnpinnedVariable(store, key),
      ...record({ data }),
    ])
    return data
  }

  /** Throws `StaleWrite` if another value was committed first, or the Agent or the source was deleted. */
  async #change(key: VariableKey, changes: VariableChanges, record: RequestRecord): Promise<void> {
    const { store, clock } = this.parts
    const { organizationId, id } = key
    const { description, status, agentId, bindingKey } = changes
    const found = await this.#find(key)
    await this.#assertPlace(key, agentId ?? null)
    const at = clock.now()
    const reference = { organizationId, variableId: id, version: found.version + 1 }
    const added = await versionOf(this.parts, reference, changes, at)
    const update = updateVariable(store, {
      ...key,
      setsDescription: description === undefined ? 0 : 1,
      description: description ?? null,
      status: status ?? null,
      setsBinding: agentId === undefined ? 0 : 1,
      agentId: agentId ?? null,
      bindingKey: bindingKey ?? null,
      version: added?.version ?? null,
      at,
    })
    await this.#commit([
      ...(Object.keys(changes).length === 0 ? [] : [update]),
      ...(added
        ? [insertVariableVersion(store, added), withinBound(store, 'variableVersions', organizationId, id)]
        : []),
      ...record({ data: { id } }, presentVariable(found)),
    ])
  }

  async #commit(unit: Parameters<Store['commit']>[0]): Promise<void> {
    await commitOr(this.parts.store, { unique: taken }, unit)
  }

  /** Environment and Agent exist and are not being deleted. */
  async #assertPlace({ organizationId, projectId, environmentId }: VariableScope, agentId: string | null) {
    const { tree } = this.parts
    const parts = [await tree.project(organizationId, projectId), await tree.environment(projectId, environmentId)]
    if (parts.some((part) => part === undefined)) throw notFound()
    if (agentId !== null) {
      parts.push(orNoSuch(await tree.agent(projectId, agentId), 'Agent in this Project', '/body/agentId'))
    }
    if (parts.some((part) => part?.deleting)) throw deletionInProgress()
  }

  /** The same, and the limit is not reached. */
  async #assertRoom(scope: VariableScope, agentId: string | null) {
    await this.#assertPlace(scope, agentId)
    const { store } = this.parts
    const { environmentId } = scope
    const { count } = (await store.first(countVariables(store, { environmentId }))) ?? { count: 0 }
    if (count < variablesMax) return
    throw limitExceeded(`An Environment has at most ${variablesMax} variables; delete one first.`)
  }

  async #find(key: VariableKey): Promise<ShownVariable> {
    const { store } = this.parts
    return orNotFound(await store.first<ShownVariable>(findVariable(store, key)))
  }
}

const keyOf = ({ organizationId }: Caller, { projectId, environmentId, variableId }: VariablePlace): VariableKey => ({
  organizationId,
  projectId,
  environmentId,
  id: variableId,
})

function assertFits(issues: Parameters<typeof invalid>[0]): void {
  if (issues.length > 0) throw invalid(issues)
}

const bindingTaken = () =>
  new ApiError(409, 'name_taken', 'The binding key is already used by another variable of the same Agent.')
const taken = {
  binding_key: bindingTaken,
  // any other key
  '': () => nameTaken('variable of the same Environment and Agent', 409),
}
const inUse = () => new ApiError(409, 'variable_in_use', 'The active Deployment pins the variable; disable it instead.')
