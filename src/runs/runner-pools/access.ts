/**
 * Who may do what with a pool. The pools of an organization are part of its settings; those of the deployment belong to the
 * owners of the first organization, and to nobody else does anything tell of them. Source: contract 1, "Platform operations".
 */

import { findInstallationOf } from '../../../storage/authoring/system-agents.ts'
import { findRunnerPool } from '../../../storage/runs/runner-pools.ts'
import type { Store } from '../../../storage/store.ts'
import type { RunnerPoolRow } from '../../../storage/tables.ts'
import { ApiError, notFound, orNotFound } from '../../platform/http/answers/errors.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'

/** Whether the caller speaks for the whole deployment. */
export const isPlatformOwner = async (store: Store, { organizationId, role }: Caller): Promise<boolean> =>
  role === 'owner' && (await store.first(findInstallationOf(store, { organizationId }))) !== undefined

/** Throws 403 unless the caller speaks for the whole deployment. */
export async function assertPlatformOwner(store: Store, caller: Caller): Promise<void> {
  if (await isPlatformOwner(store, caller)) return
  throw new ApiError(403, 'permission_denied', 'Pools of the deployment belong to owners of the first organization.', {
    details: { permission: 'organizations:update' },
  })
}

/** A pool that the caller may know of. Throws `notFound`, alike for absent and foreign ones. */
export async function findPool(store: Store, caller: Caller, id: string): Promise<RunnerPoolRow> {
  const pool = orNotFound(await store.first(findRunnerPool(store, { id })))
  const { organization_id: owner } = pool
  if (owner === null ? !(await isPlatformOwner(store, caller)) : owner !== caller.organizationId) throw notFound()
  return pool
}
