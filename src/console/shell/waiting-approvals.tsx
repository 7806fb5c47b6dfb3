/** Number of pending approvals in the Environment, shown in the navigation. */
import type { ApiFailure } from '../api/failure.ts'
import { useApi } from '../data/context.ts'
import { useResource } from '../data/resource.ts'
import type { Place } from '../places.ts'

const refreshMs = 30_000
/** Shown as "more than" beyond this number. */
const countedMax = 99

/** Refreshed after each decision; see `useDecision`. */
const waitingKey = (environmentId: string | undefined) => ['approvals', environmentId, 'waiting']

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

const spokenOf = (count: number, one: string, many: string): string =>
  count > countedMax ? `More than ${countedMax} ${many}` : count === 1 ? `1 ${one}` : `${count} ${many}`

interface WaitingCountProps {
  count: number
  /** The label of the number. */
  one?: string
  many?: string
}

/** Renders nothing for zero. */
export function WaitingCount({ count, one = 'approval pending', many = 'approvals pending' }: WaitingCountProps) {
  if (count === 0) return null
  const spoken = spokenOf(count, one, many)
  return (
    <span className="navigation-count" title={spoken}>
      <span aria-hidden="true">{count > countedMax ? `${countedMax}+` : count}</span>
      <span className="visually-hidden">{spoken}</span>
    </span>
  )
}
