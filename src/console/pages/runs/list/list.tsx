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
      title="Runs"
      about={
        place.environmentId
          ? 'Runs of the Agents in this Environment.'
          : 'All runs that you have access to, of Projects and System Agents.'
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
