/** Dead-lettered webhook deliveries, and the Environment with the most of them. */
import { Link } from 'wouter'
import type { DeliveryStatistics } from '../../../events/webhooks/statistics/statistics.ts'
import type { Resource } from '../../data/resource.ts'
import { at, organizationOf, type Place } from '../../places.ts'
import { usePlaceName } from '../runs/list/where.tsx'
import { missing, Tile, whole } from './tiles.tsx'

export type FailedDeliveries = Awaited<ReturnType<DeliveryStatistics['of']>>

/** Renders nothing without permission for figures. */
export function DeliveriesTile({ place, deliveries }: { place: Place; deliveries: Resource<FailedDeliveries> }) {
  const { value, failure } = deliveries
  if (failure?.status === 403) return null
  return (
    <Tile
      title="Failed deliveries"
      {...(place.environmentId && { href: at(place, 'webhooks') })}
      tone={value && value.deadLetters > 0 ? 'bad' : undefined}
      value={value ? whole.format(value.deadLetters) : '–'}
      about={value ? <About place={place} deliveries={value} /> : missing(deliveries)}
    />
  )
}

function About({ place, deliveries: { environments } }: { place: Place; deliveries: FailedDeliveries }) {
  const [worst] = environments
  if (!worst) return 'All events delivered'
  return place.environmentId ? 'Not acknowledged' : <Worst place={place} {...worst} />
}

interface WorstProps {
  place: Place
  projectId: string
  environmentId: string
  deadLetters: number
}

function Worst({ place, projectId, environmentId, deadLetters }: WorstProps) {
  const name = usePlaceName(projectId, environmentId)
  return (
    <>
      {whole.format(deadLetters)} in{' '}
      <Link href={at({ ...organizationOf(place), projectId, environmentId }, 'webhooks')}>{name}</Link>
    </>
  )
}
