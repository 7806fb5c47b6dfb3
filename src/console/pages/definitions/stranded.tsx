/** Warns of entities in states that a draft does not define, before it is published. */
import { Link } from 'wouter'
import type { RevisionPreview } from '../../../authoring/definitions/schema.ts'
import { at } from '../../places.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { Icon } from '../../ui/icon.tsx'
import { usePlace } from '../../use-place.ts'
import { kindNames, useEnvironments } from '../delivery/environments.ts'

interface StrandedProps {
  stranded: RevisionPreview['stranded']
  projectId: string
  /** The name of the Definition. */
  type: string
}

/** Renders nothing if no entity is affected, or without permission to list entities. */
export function Stranded({ stranded, projectId, type }: StrandedProps) {
  const place = usePlace()
  const { value } = useEnvironments(projectId)
  if (stranded === null || stranded.length === 0) return null
  const nameOf = (environmentId: string) => {
    const environment = value?.items.find(({ id }) => id === environmentId)
    return environment ? kindNames[environment.kind] : environmentId
  }
  return (
    <div className="banner banner-warning" role="status">
      <Icon name="warning" />
      <div>
        <p>
          Some entities are in states that this source does not define. Once it is active, operations on them are
          refused until a revision with their state is active again.
        </p>
        <ul aria-label="Entities in undefined states">
          {stranded.map(({ environmentId, state, count, hasMore }) => (
            <li key={`${environmentId} ${state}`}>
              <Link
                href={`${at({ ...place, projectId, environmentId }, 'entities')}?${new URLSearchParams({ type, state })}`}
              >
                {nameOf(environmentId)}: {hasMore ? 'more than ' : ''}
                {count.toLocaleString('en')}
              </Link>{' '}
              in <StateBadge state={state} />
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}
