/** One job: its prompt or workflow, recent runs, statechart. */
import { Link } from 'wouter'
import type { AgentJob } from '../../../automation/agent-jobs/schema.ts'
import { ActorChart } from '../../charts/lazy.ts'
import { useResource } from '../../data/resource.ts'
import { at, runAt } from '../../places.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { Button, LinkButton } from '../../ui/forms/button.tsx'
import { ConfirmAction } from '../../ui/forms/confirm-action.tsx'
import { Dialog } from '../../ui/forms/dialog.tsx'
import { Facts } from '../../ui/page.tsx'
import { Empty, Shown } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { Code, Id } from '../../ui/text/code.tsx'
import { Time } from '../../ui/time.tsx'
import { useEnvironment } from '../../use-environment.ts'
import { usePlace } from '../../use-place.ts'
import { AgentName } from '../runs/list/names.tsx'
import { cronWords } from './cron-words.ts'
import { firingWords } from './firings.tsx'
import { EnableButton, RunNow } from './job-actions.tsx'
import { NextTime } from './next-time.tsx'

interface JobDialogProps {
  id: string
  onClose: () => void
  onEdit: (job: AgentJob) => void
}

export function JobDialog({ id: jobId, onClose, onEdit }: JobDialogProps) {
  const { environmentId, environment } = useEnvironment()
  const job = useResource(['jobs', environmentId, jobId], (options) =>
    environment['agent-jobs']({ jobId }).get(options),
  )
  return (
    <Dialog title={job.value?.name ?? 'Job'} shape="wide" open onClose={onClose}>
      <Shown resource={job}>{(job) => <Job job={job} onClose={onClose} onEdit={onEdit} />}</Shown>
    </Dialog>
  )
}

function Job({ job, onClose, onEdit }: { job: AgentJob } & Omit<JobDialogProps, 'id'>) {
  const place = usePlace()
  const { projectId, environmentId, environment } = useEnvironment()
  const { id: jobId, name, agentId, schedule, query, workflow, params, enabled, nextRunAt, lastFirings, overlap } = job
  return (
    <div className="stack job">
      <div className="row">
        <RunNow job={job} />
        <Button needs="agent-jobs:update" icon="variable" onClick={() => onEdit(job)}>
          Edit
        </Button>
        <EnableButton job={job} />
        <LinkButton
          icon="run"
          href={
            workflow === null ? `${at(place, 'runs')}?agentJobId=${jobId}` : `${at(place, 'workflows')}?job=${jobId}`
          }
        >
          View runs
        </LinkButton>
        <ConfirmAction
          needs="agent-jobs:delete"
          question={`Delete ${name}?`}
          confirm="Delete job"
          consequence="It is no longer scheduled. Its runs are kept, and a run in progress continues."
          act={() => environment['agent-jobs']({ jobId }).delete()}
          options={{ success: `${name} deleted`, changes: [['jobs', environmentId, 'list']], done: onClose }}
        >
          Delete
        </ConfirmAction>
      </div>
      <Facts
        facts={[
          ['Status', <StateBadge key="s" state={enabled ? 'enabled' : 'disabled'} tone={enabled ? 'good' : 'idle'} />],
          [
            'Next run',
            enabled ? (
              <NextTime key="n" at={nextRunAt} timezone={schedule.timezone} />
            ) : (
              <span key="n" className="faint">
                none while disabled
              </span>
            ),
          ],
          [
            'Schedule',
            <span key="c">
              {cronWords(schedule.cron)}, {schedule.timezone}
            </span>,
          ],
          ['Cron pattern', <code key="p">{schedule.cron}</code>],
          ...(workflow === null ? [] : [['Workflow', workflow] as [string, string]]),
          ['Agent', <AgentName key="a" projectId={projectId} agentId={agentId} />],
          ['Overlap', overlap === 'skip' ? 'skipped' : 'allowed'],
          ['Job', <Id key="i" id={jobId} />],
        ]}
      />
      {workflow === null ? (
        <section className="stack" aria-label="Prompt">
          <h3>Prompt</h3>
          <Code label="query" text={query ?? ''} wrap />
        </section>
      ) : (
        <section className="stack" aria-label="Params">
          <h3>Params</h3>
          <Code label="params" text={JSON.stringify(params, null, 2)} wrap />
        </section>
      )}
      <section className="stack" aria-label="Recent runs">
        <h3>Recent runs</h3>
        {lastFirings.length === 0 ? (
          <Empty icon="clock" title="No runs scheduled yet" />
        ) : (
          <Table
            label="recent runs"
            items={lastFirings}
            keyOf={({ scheduledFor }) => scheduledFor}
            columns={[
              { title: 'Scheduled for', cell: ({ scheduledFor }) => <Time at={scheduledFor} /> },
              {
                title: 'Outcome',
                cell: ({ outcome }) => <StateBadge state={outcome} tone={firingWords[outcome].tone} />,
              },
              {
                title: 'Run',
                cell: ({ agentRunId, workflowRunId }) =>
                  agentRunId ? (
                    <Link href={runAt(place, agentRunId)}>Open</Link>
                  ) : workflowRunId ? (
                    <Link href={at(place, 'workflows', workflowRunId)}>Open</Link>
                  ) : (
                    <span className="faint none">–</span>
                  ),
              },
            ]}
          />
        )}
      </section>
      <ActorChart kind="agent-job" id={jobId} height={220} />
    </div>
  )
}
