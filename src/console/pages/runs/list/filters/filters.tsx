/** Filters of a list of runs. */
import { memo, useState } from 'react'
import { useProjectChoices } from '../../../../data/choices.ts'
import { useApi } from '../../../../data/context.ts'
import { useResource } from '../../../../data/resource.ts'
import { useSession } from '../../../../session/session.ts'
import { Choice } from '../../../../ui/forms/choice.tsx'
import { Options } from '../../../../ui/forms/options.tsx'
import { SearchField } from '../../../../ui/search/search-field.tsx'
import { useAgentNames } from '../names.tsx'
import { EndedChoice } from './ended-choice.tsx'
import { isByEnd, isServed, type RunQuery, type RunQueryChanges } from './run-query.ts'
import { StateChoice } from './state-choice.tsx'
import { TimeChoice } from './time-choice.tsx'
import type { Within } from './within.ts'

interface RunFiltersProps {
  query: RunQuery
  within: Within | undefined
  change: (changes: RunQueryChanges) => void
  /** Filters given by the address of the page. */
  projectId: string | undefined
  environmentId: string | undefined
}

/** Adds a value from the query string that is missing in the options. */
const Other = ({ value, known }: { value: string | undefined; known: Iterable<string> }) =>
  value && ![...known].includes(value) ? <option value={value}>{value}</option> : null

/** Whether the counts by state apply to this list. */
const isCounted = ({ agentId, agentJobId, createdBy, search, since, until, endedSince, endedUntil }: RunQuery) =>
  [agentId, agentJobId, createdBy, search, since, until, endedSince, endedUntil].every((filter) => filter === undefined)

/** Rendered again when the filters change, not with every page of the list. */
export const RunFilters = memo(function RunFilters(props: RunFiltersProps) {
  const { query, within, change, projectId, environmentId } = props
  const { session } = useSession()
  const order = `${query.sort} ${query.order}`
  // collapsed on phones, where they would hide the list
  const [isOpen, setOpen] = useState(false)
  const isSortedByChange = isServed({ ...query, sort: 'updatedAt' })
  return (
    <div className="stack">
      <StateChoice
        states={query.states ?? []}
        change={(states) => change({ states })}
        isCounted={isCounted(query)}
        projectId={projectId ?? query.projectId}
        environmentId={environmentId ?? query.environmentId}
      />
      <div className={isOpen ? 'run-filters' : 'run-filters run-filters-closed'}>
        <SearchField
          label="Search in first messages"
          value={query.search ?? ''}
          onChange={(search) => change({ search })}
        />
        {projectId === undefined && <ProjectChoices query={query} change={change} />}
        <AgentChoice projectId={projectId ?? query.projectId} query={query} change={change} />
        {projectId && environmentId && (
          <JobChoice projectId={projectId} environmentId={environmentId} query={query} change={change} />
        )}
        <TimeChoice query={query} within={within} change={change} />
        <EndedChoice query={query} change={change} />
        <Choice label="Started by" value={query.createdBy ?? ''} onChange={(createdBy) => change({ createdBy })}>
          <option value="">Anyone</option>
          <option value={session.user.id} disabled={!isServed({ ...query, createdBy: session.user.id })}>
            You
          </option>
          <Other value={query.createdBy} known={[session.user.id]} />
        </Choice>
        <Choice
          label="Order"
          value={order}
          onChange={(value) => {
            const [sort = '', direction = ''] = value.split(' ')
            change({ sort, order: direction })
          }}
        >
          <option value="createdAt desc" disabled={isByEnd(query)}>
            Newest first
          </option>
          <option value="createdAt asc" disabled={isByEnd(query)}>
            Oldest first
          </option>
          {isByEnd(query) && (
            <>
              <option value="endedAt desc">Latest end first</option>
              <option value="endedAt asc">Earliest end first</option>
            </>
          )}
          <option value="updatedAt desc" disabled={!isSortedByChange}>
            Latest change first
          </option>
          <option value="updatedAt asc" disabled={!isSortedByChange}>
            Longest unchanged first
          </option>
        </Choice>
      </div>
      <button
        type="button"
        className="button button-plain button-small run-filters-toggle"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? 'Fewer filters' : 'More filters'}
      </button>
    </div>
  )
})

type Part = Pick<RunFiltersProps, 'query' | 'change'>

function ProjectChoices({ query, change }: Part) {
  const api = useApi()
  const { projectId } = query
  const environments = useResource(projectId ? ['projects', projectId, 'environments'] : null, (options) =>
    api.v1.projects({ projectId: projectId as string }).environments.get({ ...options, query: { limit: 100 } }),
  )
  const items = useProjectChoices().value ?? []
  return (
    <>
      <Choice
        label="Project"
        value={projectId ?? ''}
        onChange={(value) => change({ projectId: value, environmentId: '', agentId: '' })}
      >
        <option value="">All</option>
        <Options of={items} />
        <Other value={projectId} known={items.map(({ id }) => id)} />
      </Choice>
      {projectId && (
        <Choice
          label="Environment"
          value={query.environmentId ?? ''}
          onChange={(value) => change({ environmentId: value })}
        >
          <option value="">All</option>
          <Options of={environments.value?.items} />
        </Choice>
      )}
    </>
  )
}

function AgentChoice({ projectId, query, change }: Part & { projectId: string | undefined }) {
  const names = useAgentNames(projectId ?? null)
  return (
    <Choice label="Agent" value={query.agentId ?? ''} onChange={(agentId) => change({ agentId })}>
      <option value="">All</option>
      <Options of={[...names]} />
      <Other value={query.agentId} known={names.keys()} />
    </Choice>
  )
}

function JobChoice({ projectId, environmentId, query, change }: Part & { projectId: string; environmentId: string }) {
  const api = useApi()
  const jobs = useResource(['jobs', environmentId, 'names'], (options) =>
    api.v1
      .projects({ projectId })
      .environments({ environmentId })
      ['agent-jobs'].get({ ...options, query: { limit: 100 } }),
  )
  const items = jobs.value?.items ?? []
  if (items.length === 0 && !query.agentJobId) return null
  return (
    <Choice label="Job" value={query.agentJobId ?? ''} onChange={(agentJobId) => change({ agentJobId })}>
      <option value="">All</option>
      <Options of={items} />
      <Other value={query.agentJobId} known={items.map(({ id }) => id)} />
    </Choice>
  )
}
