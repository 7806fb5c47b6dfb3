/** Jobs: scheduled runs of Agents and workflows. */
import { useState } from 'react'
import type { AgentJob } from '../../../automation/agent-jobs/schema.ts'
import { useAddressQuery } from '../../address-query.ts'
import { usePages } from '../../data/pages.ts'
import { at } from '../../places.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { NewButton } from '../../ui/forms/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { DataTable } from '../../ui/table.tsx'
import { useEnvironment } from '../../use-environment.ts'
import { useOpened } from '../../use-opened.ts'
import { usePlace } from '../../use-place.ts'
import { AgentCell } from '../operations/agent-cell.tsx'
import { cronWords } from './cron-words.ts'
import { FiringStrip } from './firings.tsx'
import { JobDialog } from './job.tsx'
import { EnableButton, RunNow } from './job-actions.tsx'
import { JobForm } from './job-form.tsx'
import { NextTime } from './next-time.tsx'
import './jobs.css'

const refreshMs = 10_000

export default function JobsPage() {
  const place = usePlace()
  const { projectId, environmentId, environment } = useEnvironment()
  const { values, change } = useAddressQuery('job')
  const [creating, setCreating] = useOpened('new')
  const [editing, setEditing] = useState<AgentJob>()
  const jobs = usePages(
    ['jobs', environmentId, 'list'],
    (options, query) => environment['agent-jobs'].get({ ...options, query }),
    { every: refreshMs },
  )
  const begin = (
    <NewButton needs="agent-jobs:create" onClick={() => setCreating(true)}>
      New job
    </NewButton>
  )
  return (
    <Page title="Jobs" about="Runs of Agents and workflows on a schedule." actions={begin}>
      <DataTable
        label="jobs"
        pages={jobs}
        keyOf={({ id }) => id}
        href={({ id }) => `${at(place, 'jobs')}?job=${id}`}
        columns={[
          { title: 'Job', cell: ({ name }) => name },
          { title: 'Agent', cell: ({ agentId }) => <AgentCell projectId={projectId} agentId={agentId} /> },
          { title: 'Starts', cell: ({ workflow }) => workflow ?? <span className="faint">its prompt</span> },
          { title: 'Schedule', cell: ({ schedule }) => <ScheduleWords {...schedule} /> },
          {
            title: 'Next run',
            cell: ({ enabled, nextRunAt, schedule }) =>
              enabled ? <NextTime at={nextRunAt} timezone={schedule.timezone} /> : <StateBadge state="disabled" />,
          },
          { title: 'Recent runs', cell: ({ lastFirings }) => <FiringStrip firings={lastFirings} /> },
          {
            title: 'Actions',
            cell: (job) => (
              <span className="job-actions">
                <RunNow job={job} small />
                <EnableButton job={job} small />
              </span>
            ),
          },
        ]}
        empty={
          <Empty icon="clock" title="No jobs yet" action={begin}>
            A job starts a run with the same prompt, or a workflow with the same params, on a cron schedule.
          </Empty>
        }
      />
      {values.job && !editing && !creating && (
        <JobDialog id={values.job} onClose={() => change({ job: '' })} onEdit={setEditing} />
      )}
      {editing && <JobForm job={editing} onClose={() => setEditing(undefined)} />}
      {creating && <JobForm onClose={() => setCreating(false)} />}
    </Page>
  )
}

const ScheduleWords = ({ cron, timezone }: AgentJob['schedule']) => (
  <span className="schedule-words">
    <span>{cronWords(cron) ?? cron}</span>
    <span className="faint">
      <code>{cron}</code> {timezone}
    </span>
  </span>
)
