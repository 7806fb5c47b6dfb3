/** Creates, changes and deletes runner pools. Source: requirement 6; contract 1, 5. */

import { newId } from '../../../storage/ids.ts'
import { firstPoolId } from '../../../storage/runs/first-runner-pool.ts'
import {
  deleteRunnerPool,
  insertRunnerPool,
  listRunnerPools,
  updateRunnerPool,
} from '../../../storage/runs/runner-pools.ts'
import type { Store } from '../../../storage/store.ts'
import type { RunnerPoolRow } from '../../../storage/tables.ts'
import { ApiError, invalid, limitExceeded, nameTaken, notFound } from '../../platform/http/answers/errors.ts'
import { commitOr } from '../../platform/http/changes/commit.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { belowId, type PageRequest, readPage } from '../../platform/http/pagination.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Revocations } from '../../tenancy/authority/revocations.ts'
import { assertPlatformOwner, findPool, isPlatformOwner } from './access.ts'
import type { Exclusiveness } from './exclusiveness.ts'
import type { NewRunnerPool, RunnerPool, RunnerPoolChanges } from './schema.ts'

/** The maximum number of pools of an organization, and of the server. */
const poolsMax = 20

export interface RunnerPoolsParts {
  store: Store
  clock: Pick<Clock, 'now'>
  cursors: Cursors
  revocations: Revocations
  exclusiveness: Exclusiveness
}

const present = (row: RunnerPoolRow): RunnerPool => ({
  id: row.id,
  name: row.name,
  scope: row.organization_id === null ? 'deployment' : 'organization',
  organizationId: row.organization_id,
  exclusive: row.exclusive === 1,
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
})

/** The organization id that marks the server's pools. */
const deployment = ''
const flag = (value: boolean): 0 | 1 => (value ? 1 : 0)
const notOfDeployment = () =>
  invalid([{ path: '/body/exclusive', message: 'Only a pool of an organization can be exclusive.' }])

export class RunnerPools {
  constructor(private readonly parts: RunnerPoolsParts) {}

  /**
   * Lists pools, newest first; owners of the first organization also see the server's. Throws `invalid_cursor` (422).
   */
  async list(caller: Caller, request: PageRequest) {
    const { store, cursors } = this.parts
    const { organizationId } = caller
    const owners = [organizationId, ...((await isPlatformOwner(store, caller)) ? [deployment] : [])]
    return readPage<RunnerPoolRow, RunnerPool>(
      { cursors, scope: { list: 'runner-pools', organizationId } },
      request,
      async (last, limit) => {
        const before = belowId(last)
        const found = await Promise.all(
          owners.map((owner) => store.all(listRunnerPools(store, { owner, before, limit }))),
        )
        return found
          .flat()
          .sort((one, other) => (one.id < other.id ? 1 : -1))
          .slice(0, limit)
      },
      ({ id }) => [id],
      present,
    )
  }

  /** Throws `notFound`. */
  async get(caller: Caller, id: string): Promise<RunnerPool> {
    return present(await findPool(this.parts.store, caller, id))
  }

  /**
   * Creates a pool without tokens. Throws 403 for a pool of the server, `name_taken` (409), `limit_exceeded` and 422.
   */
  async create(
    caller: Caller,
    { name, scope, exclusive = false }: NewRunnerPool,
    record: RequestRecord,
  ): Promise<RunnerPool> {
    const { store, clock } = this.parts
    const ofDeployment = scope === 'deployment'
    if (ofDeployment) await assertPlatformOwner(store, caller)
    if (ofDeployment && exclusive) throw notOfDeployment()
    const now = clock.now()
    const row: RunnerPoolRow = {
      id: newId('rpl', now),
      organization_id: ofDeployment ? null : caller.organizationId,
      name,
      exclusive: flag(exclusive),
      created_at: now,
      updated_at: now,
    }
    const data = present(row)
    const owner = row.organization_id ?? deployment
    await commitOr(store, { unique: taken, stale: tooMany }, [
      insertRunnerPool(store, { ...row, owner, poolsMax }),
      ...record({ data }),
    ])
    if (exclusive) await this.#tellExclusiveness(row)
    return data
  }

  /** Throws `notFound`, `name_taken` (409), 422. */
  async change(
    caller: Caller,
    id: string,
    { name, exclusive }: RunnerPoolChanges,
    record: RequestRecord,
  ): Promise<RunnerPool> {
    const { store, clock } = this.parts
    const found = await findPool(store, caller, id)
    if (exclusive && found.organization_id === null) throw notOfDeployment()
    const unchanged = name === undefined && exclusive === undefined
    const at = clock.now()
    const row: RunnerPoolRow = {
      ...found,
      name: name ?? found.name,
      exclusive: exclusive === undefined ? found.exclusive : flag(exclusive),
      updated_at: unchanged ? found.updated_at : at,
    }
    const data = present(row)
    const update = { id, name: name ?? null, exclusive: exclusive === undefined ? null : flag(exclusive), at }
    await commitOr(store, { unique: taken, stale: notFound }, [
      ...(unchanged ? [] : [updateRunnerPool(store, update)]),
      ...record({ data }, present(found)),
    ])
    if (exclusive !== undefined) await this.#tellExclusiveness(row)
    return data
  }

  /**
   * Deletes the pool with its tokens; the runs of its attempts are queued again. Throws `notFound`, and
   * `set_by_operator` (409) for the first pool.
   */
  async remove(caller: Caller, id: string, record: RequestRecord): Promise<void> {
    const { store, revocations } = this.parts
    const pool = await findPool(store, caller, id)
    if (id === firstPoolId) {
      const message = 'The first pool is used by TROUPE_RUNNER_TOKEN and by the embedded runner and cannot be deleted.'
      throw new ApiError(409, 'set_by_operator', message)
    }
    await commitOr(store, { stale: notFound }, [deleteRunnerPool(store, { id }), ...record(undefined)])
    await revocations.announce({ credentialId: id })
    if (pool.exclusive) await this.#tellExclusiveness(pool)
  }

  async #tellExclusiveness({ organization_id: organizationId }: RunnerPoolRow): Promise<void> {
    const { exclusiveness, revocations } = this.parts
    if (organizationId === null) return
    // other processes are notified even if this one cannot read it now
    await exclusiveness.refresh(organizationId).finally(() => revocations.announce({ organizationId }))
  }
}

const taken = () => nameTaken('pool of the same owner', 409)
const tooMany = () => limitExceeded(`The limit of ${poolsMax} runner pools is reached. Delete one first.`)
