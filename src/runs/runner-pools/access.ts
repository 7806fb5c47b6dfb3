/**
 * Access to runner pools. An organization's pools belong to its settings; the server's pools belong to the owners of
 * the first organization and are invisible to others. Source: contract 1, "Platform operations".
 */

import { findInstallationOf } from '../../../storage/authoring/system-agents.ts'
import { findRunnerPool } from '../../../storage/runs/runner-pools.ts'
import type { Store } from '../../../storage/store.ts'
import type { RunnerPoolRow } from '../../../storage/tables.ts'
import { ApiError, notFound, orNotFound } from '../../platform/http/answers/errors.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'

/** Whether the caller is an owner of the first organization. */
export const isPlatformOwner = async (store: Store, { organizationId, role }: Caller): Promise<boolean> =>
  role === 'owner' && (await store.first(findInstallationOf(store, { organizationId }))) !== undefined

/** Throws 403 unless the caller is an owner of the first organization. */
export async function assertPlatformOwner(store: Store, caller: Caller): Promise<void> {
  if (await isPlatformOwner(store, caller)) return
  throw new ApiError(
    403,
    'permission_denied',
    'Only owners of the first organization may manage the pools of the server.',
    {
      details: { permission: 'organizations:update' },
    },
  )
}

/** A pool visible to the caller. Throws `notFound`, alike for absent and invisible pools. */
export async function findPool(store: Store, caller: Caller, id: string): Promise<RunnerPoolRow> {
  const pool = orNotFound(await store.first(findRunnerPool(store, { id })))
  const { organization_id: owner } = pool
  if (owner === null ? !(await isPlatformOwner(store, caller)) : owner !== caller.organizationId) throw notFound()
  return pool
}
