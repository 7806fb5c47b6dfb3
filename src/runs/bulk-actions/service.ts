/** Creates, reads and cancels bulk actions; `bulk-work.ts` executes them. Source: contract 14, "Bulk". */
import type { BulkActionContext } from '../../../machines/run/bulk-action.ts'
import { newId } from '../../../storage/ids.ts'
import { countRunningBulkActions, findBulkAction, insertBulkPiece } from '../../../storage/runs/bulk-actions.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { BulkActionRow } from '../../../storage/tables.ts'
import {
  ApiError,
  invalid,
  limitExceeded,
  notFound,
  permissionDenied,
  unauthenticated,
} from '../../platform/http/answers/errors.ts'
import type { RequestId } from '../../platform/http/answers/request-id.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import { maySomewhere, partsInScope } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Permission } from '../../platform/http/guard/permissions.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Actors } from '../../runtime/actors.ts'
import { isConcurrentChange, isOver } from '../../runtime/refusals.ts'
import type { RunLists } from '../records/lists.ts'
import { type BulkActionSeed, bulkActionAddress, reachesBulkAction } from './actor.ts'
import { pieceMax } from './bulk-work.ts'
import { permissionOf } from './permission.ts'
import { type BulkAction, type BulkFilter, bulkRunsMax, type NewBulkAction, presentBulkAction } from './schema.ts'

export interface BulkActionParts {
  store: Store
  clock: Pick<Clock, 'now'>
  actors: Actors
  lists: Pick<RunLists, 'matching'>
}

/** The most active bulk actions of an organization. */
const runningMax = 10
/** The pieces written in one unit of work. */
const piecesAtOnce = 20

export class BulkActions {
  constructor(private readonly parts: BulkActionParts) {}

  /**
   * Selects the runs and starts the action. Throws `permission_denied`, 401 for a session that requests a cancel, 422
   * for a query that the action does not accept, `limit_exceeded`, and the errors of the list.
   */
  async begin(
    caller: Caller,
    request: NewBulkAction,
    { requestId, requestIdFrom }: RequestId,
    record: RequestRecord,
  ): Promise<BulkAction> {
    assertMay(caller, request)
    const { clock, actors, lists } = this.parts
    const { action, filter, query, max = bulkRunsMax, dryRun = false } = request
    await this.#assertRoom(caller)
    const matched = await lists.matching(caller, permissionOf[action], filter, max).catch(ofFilter)
    const { organizationId, principal, userId } = caller
    const id = newId('blk', clock.now())
    const seed: BulkActionSeed = {
      id,
      organization_id: organizationId,
      ...placeOf(caller, permissionOf[action], filter),
      action,
      filter: JSON.stringify(filter),
      query: query ?? null,
      runs_max: max,
      dry_run: dryRun ? 1 : 0,
      request_id: requestId,
      request_id_from: requestIdFrom,
      created_by_type: principal.type,
      created_by_id: principal.id,
      user_id: userId,
      runningMax,
    }
    const pieces = dryRun ? [] : await this.#writePieces(id, organizationId, matched)
    const isThrough = pieces.length === 0
    let data: BulkAction | undefined
    await actors
      .create<BulkActionRow>(
        bulkActionAddress(id),
        { input: { matched: matched.length }, seed, named: 'create' },
        {
          by: principal,
          writes: ({ actor: { row } }) => {
            data = presentBulkAction(row)
            // without anything to do, the answer is the action's end
            return [...pieces, ...(isThrough ? [] : record({ data }))]
          },
        },
      )
      .catch(async (error: unknown) => {
        if (isConcurrentChange(error)) await this.#assertRoom(caller)
        throw error
      })
    return isThrough ? this.#ended(id, record) : (data as BulkAction)
  }

  /** There is nothing to do: the action is completed at once, and `record` stores that answer. */
  async #ended(id: string, record: RequestRecord): Promise<BulkAction> {
    const { store, actors } = this.parts
    const address = bulkActionAddress(id)
    try {
      const nothing = { type: 'advanced', piece: 0, done: 0, failed: 0, failures: [], isThrough: true }
      const { actor } = await actors.send<BulkActionRow>(address, nothing, {
        writes: ({ actor: { row } }) => record({ data: presentBulkAction(row) }),
      })
      return presentBulkAction(actor.row)
    } catch (error) {
      if (!isOver(error)) throw error
      const actor = await actors.read<BulkActionRow, BulkActionContext>(address)
      if (!actor) throw notFound()
      const data = presentBulkAction(actor.row)
      await store.commit(record({ data }))
      return data
    }
  }

  /**
   * Writes all but the last pieces; those commit with the action. If the server dies first, maintenance removes the
   * pieces.
   */
  async #writePieces(id: string, organizationId: string, matched: readonly string[]): Promise<Write[]> {
    const { store } = this.parts
    let writes: Write[] = []
    for (let piece = 0; piece * pieceMax < matched.length; piece += 1) {
      if (writes.length === piecesAtOnce) {
        await store.background.commit(writes, organizationId)
        writes = []
      }
      const runs = JSON.stringify(matched.slice(piece * pieceMax, (piece + 1) * pieceMax))
      writes.push(insertBulkPiece(store, { bulk_action_id: id, piece, runs }))
    }
    return writes
  }

  async #assertRoom({ organizationId }: Caller): Promise<void> {
    const { store } = this.parts
    const running = await store.first(countRunningBulkActions(store, { organizationId }))
    if (Number(running?.count ?? 0) < runningMax) return
    throw limitExceeded(`An organization has at most ${runningMax} bulk actions that run; wait for one, or cancel it.`)
  }

  /** Throws `notFound`. */
  async get(caller: Caller, id: string): Promise<BulkAction> {
    return presentBulkAction(await this.find(caller, id))
  }

  /**
   * Completed work is kept. Throws `notFound`, `permission_denied`, `invalid_transition` (409) for an action that has
   * ended.
   */
  async cancel(caller: Caller, id: string, record: RequestRecord): Promise<BulkAction> {
    await this.findToChange(caller, id)
    const { actor } = await this.parts.actors.send<BulkActionRow>(
      bulkActionAddress(id),
      { type: 'cancel' },
      { by: caller.principal, writes: ({ actor: { row } }) => record({ data: presentBulkAction(row) }) },
    )
    return presentBulkAction(actor.row)
  }

  /** The action's row. Throws `notFound`. */
  async find(caller: Caller, id: string): Promise<BulkActionRow> {
    const { store } = this.parts
    const { organizationId } = caller
    const row = await store.first<BulkActionRow>(findBulkAction(store, { id, organizationId }))
    if (!row || !reachesBulkAction(caller, row)) throw notFound()
    return row
  }

  /** The same for callers with the permission of its action. Throws `permission_denied` too. */
  async findToChange(caller: Caller, id: string): Promise<BulkActionRow> {
    const row = await this.find(caller, id)
    const permission = permissionOf[row.action]
    if (!maySomewhere(caller, permission)) throw permissionDenied(permission)
    return row
  }
}

function assertMay(caller: Caller, { action, query }: NewBulkAction): void {
  const permission = permissionOf[action]
  if (action === 'cancel' && caller.principal.type !== 'apiKey') throw unauthenticated()
  if (!maySomewhere(caller, permission)) throw permissionDenied(permission)
  const refuse = (message: string) => invalid([{ path: '/body/query', message }])
  if (action === 'cancel' && query !== undefined) throw refuse('Cancel takes no query; leave it out.')
  if (action === 'continue' && query === undefined) throw refuse('Is required: what the runs are continued with.')
  if (query?.trim() === '') throw refuse('Must not be blank.')
}

const faultsOfFilter: readonly string[] = ['unsupported_filter', 'validation_failed']

/** Errors of the filter point into the body. */
function ofFilter(error: unknown): never {
  if (!(error instanceof ApiError) || !faultsOfFilter.includes(error.code)) throw error
  const issues = (error.details as { issues: { path: string; message: string }[] }).issues.map(({ path, message }) => ({
    path: path.replace('/query/', '/body/filter/'),
    message,
  }))
  throw new ApiError(error.status, error.code, error.message, { details: { issues }, cause: error })
}

/**
 * The smallest part of the organization that contains all matching runs, as far as filter and credential determine it.
 */
function placeOf(
  caller: Caller,
  permission: Permission,
  filter: BulkFilter,
): Pick<BulkActionRow, 'project_id' | 'environment_id' | 'agent_id'> {
  const parts = partsInScope<BulkFilter>(caller, permission, filter)
  const [part = filter] = parts
  const projectId = parts.length > 1 ? undefined : part.projectId
  // Environments and Agents are identified together with their Project
  return {
    project_id: projectId ?? null,
    environment_id: projectId === undefined ? null : (part.environmentId ?? null),
    agent_id: projectId === undefined ? null : (part.agentId ?? null),
  }
}
