/** Changes since the previous Release. */
import type { Release } from '../../../authoring/releases/schema.ts'
import { useAccess } from '../../data/context.ts'
import { useReading, useResource } from '../../data/resource.ts'
import { Tag } from '../../ui/badge.tsx'
import { Loading } from '../../ui/states.tsx'
import { changesOf } from '../delivery/changes/release-changes.tsx'
import { useParts } from '../delivery/parts.ts'
import { readNumbers } from '../delivery/pinned.ts'
import '../delivery/delivery.css'

/** Releases searched for the previous one. */
const lookedAt = 100

export function SinceReleaseBefore({ release }: { release: Release }) {
  const access = useAccess()
  const { api } = access
  const { projectId, number } = release
  const parts = useParts(projectId)
  const releases = useResource(number === 1 ? null : ['releases', projectId, 'choice'], (options) =>
    api.v1.projects({ projectId }).releases.get({ ...options, query: { limit: lookedAt } }),
  )
  const before = releases.value?.items.find((one) => one.number === number - 1)
  const numbers = useReading(before ? ['numbers', release.id, 'since', before.id] : null, () =>
    Promise.all([before, release].map((one) => readNumbers(access, one ?? release))),
  )
  if (releases.loading || numbers.loading || parts.loading) return <Loading rows={1} />
  const [from, to] = numbers.value ?? []
  if (!before || !from || !to || !parts.value) return null
  const changes = changesOf(from, to, parts.value.nameOf)
  return (
    <p className="path-changes">
      <span>Since Release {before.number}:</span>
      {changes.length === 0 ? <span>no changes</span> : changes.map((change) => <Tag key={change}>{change}</Tag>)}
    </p>
  )
}
