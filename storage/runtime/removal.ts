/**
 * Deletes what belongs to an organization, a Project or an Agent, besides its runs: a bounded number of rows at a time,
 * and finally the target itself, whose foreign keys delete the few remaining rows. Source: contract 2, "Deletion".
 */
import { sql } from 'kysely'
import { rowsOf } from '../rows.ts'
import type { DeletionTarget } from '../runs/run-removal.ts'
import { query, write } from '../statement.ts'
import type { Store, Write } from '../store.ts'
import type { Keys, Target, Values } from './deletion-step.ts'
import { deletionSteps } from './deletion-steps.ts'

const sizeMax = 100

/** A row to delete with its dependents, in a unit of work of its own. */
interface DeletionTargetRow {
  writes: Write[]
  /** The actor that is deleted with it. */
  actor: { kind: string; id: string } | undefined
}

/** The next rows to delete, up to a limit; empty when only the target itself is left. */
export async function nextRows(
  store: Pick<Store, 'db' | 'all'>,
  deletion: DeletionTarget,
): Promise<DeletionTargetRow[]> {
  for (const { keys, remove, kind } of deletionSteps) {
    const list = keys[deletion.target]
    const found = list ? await store.all(list(store, { ...deletion, limit: sizeMax })) : []
    if (found.length === 0) continue
    return found.map(({ key }) => ({
      writes: remove(store, key, deletion),
      actor: kind === undefined ? undefined : { kind, id: key },
    }))
  }
  return []
}

const apiKeys = rowsOf('api_keys', 'id')
const deleteProjectKeys = apiKeys.remove('organization_id', 'project_id')
const deleteAgentKeys = apiKeys.remove('organization_id', 'agent_id')

const deleteOrganizationItself = write(
  (db, values: { id: string }) =>
    db
      .deleteFrom('organizations')
      .where('id', '=', values.id)
      .where('status', '=', 'deleting')
      .where(sql<boolean>`not exists (select 1 from runs where organization_id = ${values.id})`),
  1,
)
const deleteProjectItself = write(
  (db, values: { id: string }) =>
    db
      .deleteFrom('projects')
      .where('id', '=', values.id)
      .where('status', '=', 'deleting')
      .where(sql<boolean>`not exists (select 1 from runs where project_id = ${values.id})`),
  1,
)
const deleteAgentItself = write(
  (db, values: { organizationId: string; id: string }) =>
    db
      .deleteFrom('agents')
      .where('id', '=', values.id)
      .where('status', '=', 'deleting')
      .where(
        sql<boolean>`not exists (select 1 from runs where organization_id = ${values.organizationId} and agent_id = ${values.id})`,
      ),
  1,
)

/** Deletes the target and the API keys bound to it. The unit fails with `StaleWrite` while the target has runs. */
export function removeTarget(store: Pick<Store, 'db'>, deletion: DeletionTarget): Write[] {
  const { target, id, organizationId } = deletion
  if (target === 'organization') return [deleteOrganizationItself(store, { id })]
  if (target === 'project')
    return [deleteProjectItself(store, { id }), deleteProjectKeys(store, { organizationId, projectId: id })]
  return [deleteAgentItself(store, { organizationId, id }), deleteAgentKeys(store, { organizationId, agentId: id })]
}

const remaining = (owner: 'organization_id' | 'project_id') =>
  query((db, values: Values) =>
    db
      .selectFrom('environments')
      .select('id as key')
      .where(owner, '=', values.id)
      .where('state', '<>', 'deleting')
      .limit(values.limit),
  )
const listRemainingEnvironments: Partial<Record<Target, Keys>> = {
  organization: remaining('organization_id'),
  project: remaining('project_id'),
}

/** Environments of the target that are not yet in the state `deleting`. */
export async function remainingEnvironments(
  store: Pick<Store, 'db' | 'all'>,
  deletion: DeletionTarget,
  limit: number,
): Promise<string[]> {
  const list = listRemainingEnvironments[deletion.target]
  return list ? (await store.all(list(store, { ...deletion, limit }))).map(({ key }) => key) : []
}
