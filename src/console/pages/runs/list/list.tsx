/** Runs of an Environment, newest first. */
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
      about="Runs of the Agents in this Environment."
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
