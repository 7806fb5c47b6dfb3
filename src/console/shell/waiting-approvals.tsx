/** Number of pending approvals in the Environment, shown in the navigation. */
import type { ApiFailure } from '../api/failure.ts'
import { useApi } from '../data/context.ts'
import { useResource } from '../data/resource.ts'
import type { Place } from '../places.ts'

const refreshMs = 30_000
/** Shown as "more than" beyond this number. */
const countedMax = 99

/** Refreshed after each decision; see `useDecision`. */
export const waitingKey = (environmentId: string | undefined) => ['approvals', environmentId, 'waiting']

/** A refused request is not repeated. */
const isRefused = (failure: ApiFailure | null | undefined) => failure?.status === 403 || failure?.status === 404

/** 0 while unknown, outside Environments, and without permission. At most `countedMax + 1`. */
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
  if (count > countedMax) return `More than ${countedMax} approvals pending`
  return count === 1 ? '1 approval pending' : `${count} approvals pending`
}

/** Renders nothing for zero. */
export function WaitingCount({ count }: { count: number }) {
  if (count === 0) return null
  return (
    <span className="navigation-count" title={spokenOf(count)}>
      <span aria-hidden="true">{count > countedMax ? `${countedMax}+` : count}</span>
      <span className="visually-hidden">{spokenOf(count)}</span>
    </span>
  )
}
