/** Runs of an Environment, or of the whole organization, newest first. */
import { at } from '../../../places.ts'
import { LinkButton } from '../../../ui/forms/button.tsx'
import { Page } from '../../../ui/page.tsx'
import { usePlace } from '../../../use-place.ts'
import { RunsList } from './runs-list.tsx'

export default function RunsPage() {
  const place = usePlace()
  return (
    <Page
      wide
      title={place.environmentId ? 'Runs' : 'All runs'}
      about={
        place.environmentId
          ? 'Runs of the Agents in this Environment.'
          : 'Runs of all Projects and System Agents that you have access to.'
      }
      actions={
        <LinkButton href={at(place, 'playground')} tone="primary" icon="chat">
          Start a run
        </LinkButton>
      }
    >
      <RunsList projectId={place.projectId} environmentId={place.environmentId} />
    </Page>
  )
}
