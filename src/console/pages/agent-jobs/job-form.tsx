/** Form that creates or edits a job. */
import type { AgentJob, JobChanges, NewJob } from '../../../automation/agent-jobs/schema.ts'
import { useAction } from '../../data/action.ts'
import { changedFields } from '../../data/changed-fields.ts'
import { Dialog } from '../../ui/forms/dialog.tsx'
import { Form, SelectField, TextField } from '../../ui/forms/form.tsx'
import { Options } from '../../ui/forms/options.tsx'
import { useEnvironment } from '../../use-environment.ts'
import { useAgentNames } from '../runs/list/names.tsx'
import { ScheduleFields } from './schedule-fields.tsx'
import { useJobWork, WorkFields, workOf } from './work-fields.tsx'

interface JobFormProps {
  /** Omitted for a new job. */
  job?: AgentJob
  onClose: () => void
}

const overlapHint = 'Applies when the next run is due while the previous one is still running.'

export function JobForm({ job, onClose }: JobFormProps) {
  const { projectId, environmentId, environment } = useEnvironment()
  const agents = useAgentNames(projectId)
  const work = useJobWork(job)
  const options = { changes: [['jobs', environmentId]], done: onClose, quiet: true }
  const create = useAction((body: NewJob) => environment['agent-jobs'].post(body), {
    ...options,
    success: ({ name }) => `${name} created`,
  })
  const change = useAction((jobId: string, body: JobChanges) => environment['agent-jobs']({ jobId }).patch(body), {
    ...options,
    success: ({ name }) => `${name} updated`,
  })
  return (
    <Dialog title={job ? `Edit ${job.name}` : 'New job'} shape="wide" open onClose={onClose}>
      <Form
        action={job ? change : create}
        submit={job ? 'Save' : 'Create job'}
        onSubmit={(text) => {
          const given = workOf(work, text('query'))
          if (!given) return
          const fields = {
            name: text('name'),
            overlap: text('overlap') === 'allow' ? ('allow' as const) : ('skip' as const),
            schedule: { cron: text('schedule/cron'), timezone: text('schedule/timezone') },
          }
          if (!job) return create.run({ ...fields, ...given, agentId: text('agentId') })
          // a workflow and its params are changed together
          const isOtherWork = Object.keys(changedFields(job, given)).length > 0
          return change.run(job.id, { ...changedFields(job, fields), ...(isOtherWork && given) })
        }}
      >
        <div className="pair">
          <TextField name="name" label="Name" required maxLength={200} defaultValue={job?.name} />
          {job ? (
            <SelectField name="agentId" label="Agent" disabled hint="The Agent of a job cannot be changed.">
              <option>{agents.get(job.agentId) ?? job.agentId}</option>
            </SelectField>
          ) : (
            <SelectField name="agentId" label="Agent" required>
              <Options of={[...agents]} />
            </SelectField>
          )}
        </div>
        <ScheduleFields {...job?.schedule} />
        <WorkFields work={work} issues={(job ? change : create).issues} {...(job && { job })} />
        <SelectField
          name="overlap"
          label="If the previous run is still running"
          hint={overlapHint}
          defaultValue={job?.overlap}
        >
          <option value="skip">Skip this time</option>
          <option value="allow">Start another run</option>
        </SelectField>
      </Form>
    </Dialog>
  )
}
