/** What an active run does, in one line: it starts later, waits for a runner, or runs. */
import { Link } from 'wouter'
import type { PresentedRun } from '../../../../runs/present.ts'
import { useApi } from '../../../data/context.ts'
import { useResource } from '../../../data/resource.ts'
import { at, organizationOf } from '../../../places.ts'
import { Icon } from '../../../ui/icon.tsx'
import { AbsoluteTime, useNow } from '../../../ui/time.tsx'
import { usePlace } from '../../../use-place.ts'
import { startsAtOf } from './awaiting.ts'

/** A run that a runner could have taken for this long is asked why it waits. */
const patienceMs = 10_000

/** `state` may be ahead of the record. */
export function Progress({ run, state }: { run: PresentedRun; state: string }) {
  const now = useNow()
  const startsAt = startsAtOf(run, now)
  if (startsAt) {
    return (
      <>
        <Icon name="clock" />
        <span>
          Starts at <AbsoluteTime at={startsAt} />
        </span>
      </>
    )
  }
  const spinner = <span className="spinner" aria-hidden="true" />
  if (state !== 'queued') return <>{spinner} Running</>
  const isLong = run.availableAt !== undefined && now - Date.parse(run.availableAt) > patienceMs
  return (
    <>
      {spinner}
      <span>Waiting for a runner{isLong && <Why />}</span>
    </>
  )
}

/** Why no runner takes the run, as far as the member may see. */
function Why() {
  const api = useApi()
  const place = organizationOf(usePlace())
  const pools = useResource(['runner-pools', 'all'], (options) =>
    api.v1['runner-pools'].get({ ...options, query: { limit: 100 } }),
  )
  if (pools.loading) return null
  const isExclusive = pools.value?.items.some(({ exclusive, scope }) => exclusive && scope === 'organization')
  if (!isExclusive) return ': all are busy, or none is connected'
  return (
    <>
      {' of an '}
      <Link href={at(place, 'settings', 'runners')}>exclusive pool</Link>: no other takes runs of this organization
    </>
  )
}
