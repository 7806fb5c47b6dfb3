/** Who reaches which run: the organization's own, within what the credential is bound to. Source: requirement 5; contract 0. */
import type { RunContext } from '../../machines/run.ts'
import { findRun } from '../../storage/run-lists.ts'
import type { Store } from '../../storage/store.ts'
import type { RunRow } from '../../storage/tables.ts'
import type { Caller } from '../http/caller.ts'
import { notFound } from '../http/errors.ts'
import type { Actors } from '../runtime/actors.ts'
import { type RunRecord, runAddress } from './actor.ts'
import { contextOf } from './context.ts'

/** Where something lives, for a credential that is bound to a Project, an Environment or an Agent. */
export interface Place {
  projectId: string | null
  environmentId: string | null
  agentId: string
}

/** Whether the credential reaches this place. One that is bound to a Project reaches no System Agent. */
export const reaches = ({ scope }: Caller, { projectId, environmentId, agentId }: Place): boolean =>
  (scope.projectId === null || scope.projectId === projectId) &&
  (scope.environmentId === null || scope.environmentId === environmentId) &&
  (scope.agentId === null || scope.agentId === agentId)

/** A run as it was last committed. */
export interface FoundRun {
  row: RunRow
  context: RunContext
}

export class RunAccess {
  constructor(
    private readonly store: Store,
    private readonly actors: Actors,
  ) {}

  /** The run: from memory when it is there, else by one look into the store. Throws `notFound`. */
  find(caller: Caller, id: string): FoundRun | Promise<FoundRun> {
    const actor = this.actors.peek<RunRecord, RunContext>(runAddress(id))
    return actor ? { row: visible(caller, actor.row.row), context: actor.context } : this.#load(caller, id)
  }

  async #load(caller: Caller, id: string): Promise<FoundRun> {
    const row = visible(
      caller,
      await this.store.first(findRun(this.store, { organizationId: caller.organizationId, id })),
    )
    return { row, context: contextOf(row) }
  }
}

function visible(caller: Caller, row: RunRow | undefined): RunRow {
  if (
    !row ||
    row.organization_id !== caller.organizationId ||
    !reaches(caller, { projectId: row.project_id, environmentId: row.environment_id, agentId: row.agent_id })
  ) {
    throw notFound()
  }
  return row
}
