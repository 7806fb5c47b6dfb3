/** Releases of a Project, and the form for a new one. */
import { useApi } from '../../data/context.ts'
import { usePages } from '../../data/pages.ts'
import { at, projectOf } from '../../places.ts'
import { Author } from '../../ui/author.tsx'
import { NewButton } from '../../ui/forms/button.tsx'
import { Dialog } from '../../ui/forms/dialog.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { DataTable } from '../../ui/table.tsx'
import { Id } from '../../ui/text/code.tsx'
import { Time } from '../../ui/time.tsx'
import { useOpened } from '../../use-opened.ts'
import { useIds, usePlace } from '../../use-place.ts'
import { NewRelease } from './new-release.tsx'

export default function ReleasesPage() {
  const api = useApi()
  const place = usePlace()
  const { projectId } = useIds('projectId')
  const [creating, setCreating] = useOpened('new')
  const releases = usePages(['releases', projectId, 'list'], (options, query) =>
    api.v1.projects({ projectId }).releases.get({ ...options, query }),
  )
  const begin = (
    <NewButton needs="deployments:create" onClick={() => setCreating(true)}>
      New release
    </NewButton>
  )
  return (
    <Page title="Releases" about="Immutable sets of revisions to deploy together." actions={begin}>
      <DataTable
        label="releases"
        pages={releases}
        keyOf={({ id }) => id}
        href={({ id }) => at(projectOf(place), 'releases', id)}
        columns={[
          { title: 'Release', cell: ({ number }) => `Release ${number}` },
          { title: 'Description', cell: ({ description }) => description ?? <span className="faint none">–</span> },
          { title: 'Agents', align: 'end', cell: ({ agents }) => agents.length },
          { title: 'Definitions', align: 'end', cell: ({ definitions }) => definitions.length },
          { title: 'Digest', cell: ({ digest }) => <Id id={digest} /> },
          { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
          { title: 'Created by', cell: ({ createdBy }) => <Author by={createdBy} /> },
        ]}
        empty={
          <Empty icon="tag" title="No releases yet" action={begin}>
            A Release pins revisions of Agents and Definitions, for deployment to an Environment.
          </Empty>
        }
      />
      <Dialog title="New release" shape="wide" open={creating} onClose={() => setCreating(false)}>
        <NewRelease />
      </Dialog>
    </Page>
  )
}
