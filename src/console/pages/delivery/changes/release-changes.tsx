/** Changes that a Release would make to the active Deployment. */
import type { Release } from '../../../../authoring/releases/schema.ts'
import { useAccess } from '../../../data/context.ts'
import { useReading } from '../../../data/resource.ts'
import { Tag } from '../../../ui/badge.tsx'
import { counted } from '../../../ui/counted.ts'
import { useParts } from '../parts.ts'
import { type Numbers, readNumbers, type Served } from '../pinned.ts'
import { ChangesByRelease } from './changes.tsx'

/** `Support desk 1 → 2`, `tone-check added`, `orders removed` */
export function changesOf(from: Numbers, to: Numbers, nameOf: (id: string) => string): string[] {
  const ids = [...new Set([...to.keys(), ...from.keys()])]
  return ids.flatMap((id) => {
    const name = nameOf(id)
    if (!from.has(id)) return [`${name} added`]
    if (!to.has(id)) return [`${name} removed`]
    const [before, after] = [from.get(id), to.get(id)]
    return before === after ? [] : [`${name} ${before ?? '?'} → ${after ?? '?'}`]
  })
}

interface ReleaseChangesProps {
  release: Release
  /** The active Deployment; undefined while it is not known. */
  served: Served | null | undefined
}

export function ReleaseChanges({ release, served }: ReleaseChangesProps) {
  const access = useAccess()
  const parts = useParts(release.projectId)
  const numbers = useReading(['numbers', release.id], () => readNumbers(access, release))
  if (!served) {
    return (
      <p className="faint">
        {counted(release.agents.length, 'Agent')} and {counted(release.definitions.length, 'Definition')}
        {served === null && '; no active Release yet'}.
      </p>
    )
  }
  if (release.id === served.release.id) return <p className="faint">This Release is already active.</p>
  if (!numbers.value || !parts.value) {
    const failure = numbers.failure ?? parts.failure
    return <p className="faint">{failure ? `The changes could not be loaded: ${failure.message}` : 'Comparing…'}</p>
  }
  const changes = changesOf(served.numbers, numbers.value, parts.value.nameOf)
  if (changes.length === 0) return <p className="faint">The same revisions as the active Release.</p>
  return (
    <>
      <p className="path-changes">
        <span>Changes from the active Release:</span>
        {changes.map((change) => (
          <Tag key={change}>{change}</Tag>
        ))}
      </p>
      <ChangesByRelease projectId={release.projectId} releaseId={release.id} against={served.release.id} />
    </>
  )
}
