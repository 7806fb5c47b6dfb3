/**
 * Access to runs: those of the caller's organization, within the scope of the credential. Source: requirement 5;
 * contract 0.
 */
import type { RunContext } from '../../machines/run.ts'
import { findRun } from '../../storage/runs/run-lists.ts'
import type { Store } from '../../storage/store.ts'
import type { RunRow } from '../../storage/tables.ts'
import { notFound } from '../platform/http/answers/errors.ts'
import { isWithinScope } from '../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../platform/http/guard/caller.ts'
import type { Naming } from '../platform/http/guard/find.ts'
import type { Permission } from '../platform/http/guard/permissions.ts'
import type { Actors } from '../runtime/actors.ts'
import type { RunPath } from './admission/request-schema.ts'
import { contextOf } from './context.ts'
import { type RunRecord, runAddress } from './record.ts'

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

  /** The run, if the caller has the permission for it: from memory, else with one query. Throws `notFound`. */
  find(caller: Caller, id: string, permission: Permission): FoundRun | Promise<FoundRun> {
    const actor = this.actors.getCached<RunRecord, RunContext>(runAddress(id))
    return actor
      ? { row: visible(caller, permission, actor.row.row), context: actor.context }
      : this.#load(caller, id, permission)
  }

  /** Finds the run that a path names, for the guard. */
  finderFor(permission: Permission) {
    return ({ caller, params }: Naming<typeof RunPath>) => this.find(caller, params.agentRunId, permission)
  }

  async #load(caller: Caller, id: string, permission: Permission): Promise<FoundRun> {
    const row = visible(
      caller,
      permission,
      await this.store.first(findRun(this.store, { organizationId: caller.organizationId, id })),
    )
    return { row, context: contextOf(row) }
  }
}

function visible(caller: Caller, permission: Permission, row: RunRow | undefined): RunRow {
  if (
    !row ||
    row.organization_id !== caller.organizationId ||
    !isWithinScope(caller, permission, {
      projectId: row.project_id,
      environmentId: row.environment_id,
      agentId: row.agent_id,
    })
  ) {
    throw notFound()
  }
  return row
}
