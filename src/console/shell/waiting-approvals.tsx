/** How many approvals wait in the Environment that one is in: beside the way to them, wherever one is. */
import type { ApiFailure } from '../api/failure.ts'
import { useApi } from '../data/context.ts'
import { useResource } from '../data/resource.ts'
import type { Place } from '../places.ts'

const refreshMs = 30_000
/** More than that are not counted. */
const countedMax = 99

/** What is read again once something was decided; see `useDecision`. */
export const waitingKey = (environmentId: string | undefined) => ['approvals', environmentId, 'waiting']

/** A refused user would be refused again. */
const isRefused = (failure: ApiFailure | null | undefined) => failure?.status === 403 || failure?.status === 404

/** 0 until it is known, outside of Environments, and for users who may not see approvals. At most one more than is counted. */
export function useWaitingApprovals({ projectId, environmentId }: Place): number {
  const api = useApi()
  const { value, failure } = useResource(
    projectId && environmentId ? waitingKey(environmentId) : null,
    (options) =>
      api.v1
        .projects({ projectId: projectId as string })
        .environments({ environmentId: environmentId as string })
        ['operation-approvals'].get({ ...options, query: { status: 'pending', limit: countedMax + 1 } }),
    {
      every: (_, failure) => (isRefused(failure) ? null : refreshMs),
      refetchOnWindowFocus: (failure) => (isRefused(failure) ? false : 'always'),
    },
  )
  return isRefused(failure) ? 0 : (value?.items.length ?? 0)
}

const spokenOf = (count: number): string => {
  if (count > countedMax) return `More than ${countedMax} approvals wait`
  return count === 1 ? '1 approval waits' : `${count} approvals wait`
}

/** Nothing when nothing waits. */
export function WaitingCount({ count }: { count: number }) {
  if (count === 0) return null
  return (
    <span className="navigation-count" title={spokenOf(count)}>
      <span aria-hidden="true">{count > countedMax ? `${countedMax}+` : count}</span>
      <span className="visually-hidden">{spokenOf(count)}</span>
    </span>
  )
}
