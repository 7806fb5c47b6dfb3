/** Projects, and the form for a new one. */
import { useApi } from '../../data/context.ts'
import { usePages } from '../../data/pages.ts'
import { at } from '../../places.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { NewButton } from '../../ui/forms/button.tsx'
import { Page } from '../../ui/page.tsx'
import { SearchedTable } from '../../ui/search/searched-table.tsx'
import { useListSearch } from '../../ui/search/use-list-search.ts'
import { Empty } from '../../ui/states.tsx'
import { Id } from '../../ui/text/code.tsx'
import { Time } from '../../ui/time.tsx'
import { useOpened } from '../../use-opened.ts'
import { usePlace } from '../../use-place.ts'
import { NewProject } from './new-project.tsx'

export default function ProjectsPage() {
  const api = useApi()
  const place = usePlace()
  const [creating, setCreating] = useOpened('new')
  const narrowing = useListSearch()
  const projects = usePages(['projects', 'list', narrowing.filter], (options, page) =>
    api.v1.projects.get({ ...options, query: { ...page, ...narrowing.filter } }),
  )

  const begin = (
    <NewButton needs="projects:create" onClick={() => setCreating(true)}>
      New project
    </NewButton>
  )
  return (
    <Page title="Projects" about="Each Project has Agents, and three Environments to run them in." actions={begin}>
      <SearchedTable
        label="projects"
        pages={projects}
        narrowing={narrowing}
        keyOf={({ id }) => id}
        href={({ id }) => at({ ...place, projectId: id })}
        columns={[
          { title: 'Name', cell: ({ name }) => name },
          { title: 'Slug', cell: ({ slug }) => <code>{slug}</code> },
          { title: 'Status', cell: ({ status }) => <StateBadge state={status} /> },
          { title: 'ID', cell: ({ id }) => <Id id={id} /> },
          { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
        empty={
          <Empty icon="folder" title="No projects yet" action={begin}>
            A Project holds Agents, Definitions and Environments. Start from a template to see an example.
          </Empty>
        }
      />
      <NewProject open={creating} onClose={() => setCreating(false)} />
    </Page>
  )
}
