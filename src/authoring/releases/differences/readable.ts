/** The part of the differences that a caller may read: contents only with the permission to read them. */
import { isWithinScope } from '../../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../../platform/http/guard/caller.ts'
import type { Permission } from '../../../platform/http/guard/permissions.ts'
import type { Difference, ReleaseDiff } from './schema.ts'

/** Whether the caller may read a resource of the Project; `agentId`: what only this Agent has. */
export const mayRead = (
  caller: Caller,
  permission: Permission,
  { projectId, agentId }: { projectId: string; agentId?: string | null | undefined },
): boolean =>
  isWithinScope(caller, permission, {
    projectId,
    environmentId: caller.scope.environmentId,
    agentId: agentId ?? caller.scope.agentId,
  })

/** The differences without their values. */
export const withoutValues = (differences: readonly Difference[]): Difference[] =>
  differences.map(({ path }) => ({ path, shortened: true }))

/** Without the values and grants of Agents, and the values of Definitions, that the caller may not read. */
export const readableRelease = <Diff extends Pick<ReleaseDiff, 'agents' | 'definitions'>>(
  caller: Caller,
  projectId: string,
  diff: Diff,
): Diff => ({
  ...diff,
  agents: diff.agents.map((change) => {
    const isReadable = [change.before, change.after].every(
      (side) => side === null || mayRead(caller, 'agents:revisions:get', { projectId, agentId: side.agentId }),
    )
    if (isReadable) return change
    return { ...change, differences: withoutValues(change.differences), grants: { added: [], removed: [] } }
  }),
  definitions: mayRead(caller, 'definitions:get', { projectId })
    ? diff.definitions
    : diff.definitions.map((change) => ({ ...change, differences: withoutValues(change.differences) })),
})
