/** What a job does at each tick: a prompt for its Agent, or a workflow with its params. */
import { useId, useState } from 'react'
import type { AgentJob } from '../../../automation/agent-jobs/schema.ts'
import { readJson } from '../../../platform/http/body/json-lines.ts'
import type { Issue } from '../../api/failure.ts'
import { SelectField, TextArea, TextField } from '../../ui/forms/form.tsx'
import { useDeployed } from '../operations/deployed.ts'
import { exampleText, JsonField } from '../operations/json-field.tsx'

interface JobWork {
  isWorkflow: boolean
  change(isWorkflow: boolean): void
  workflow: string
  name(workflow: string): void
  params: string
  write(params: string): void
  /** The schema of the params, if the workflow is deployed. */
  schema: unknown
  /** The names of deployed workflows. */
  known: readonly string[]
}

export function useJobWork(job: AgentJob | undefined): JobWork {
  const deployed = useDeployed().value?.workflows ?? []
  const [isWorkflow, change] = useState(typeof job?.workflow === 'string')
  const [workflow, name] = useState(job?.workflow ?? '')
  const [written, write] = useState(job?.params ? JSON.stringify(job.params, null, 2) : undefined)
  const schema = deployed.find((one) => one.name === workflow)?.source.params
  const params = written ?? (schema === undefined ? '{}' : exampleText(schema))
  return { isWorkflow, change, workflow, name, params, write, schema, known: deployed.map((one) => one.name) }
}

/** The part of the request; undefined while the params are no JSON. */
export function workOf({ isWorkflow, workflow, params }: JobWork, query: string) {
  if (!isWorkflow) return { query }
  const { value, fault } = readJson(params)
  return fault ? undefined : { workflow, params: value as Record<string, unknown> }
}

export function WorkFields({ work, job, issues }: { work: JobWork; job?: AgentJob; issues: readonly Issue[] }) {
  const listId = useId()
  return (
    <fieldset className="stack">
      <legend className="visually-hidden">What it does</legend>
      <SelectField
        name="work"
        label="At each tick"
        value={work.isWorkflow ? 'workflow' : 'query'}
        onChange={({ target }) => work.change(target.value === 'workflow')}
      >
        <option value="query">Send a prompt to the Agent</option>
        <option value="workflow">Start a workflow on behalf of the Agent</option>
      </SelectField>
      {work.isWorkflow ? (
        <>
          <TextField
            name="workflow"
            label="Workflow"
            required
            maxLength={64}
            list={listId}
            spellCheck={false}
            hint="The one of the Deployment that is active at the tick."
            value={work.workflow}
            onChange={({ target }) => work.name(target.value)}
          />
          <datalist id={listId}>
            {work.known.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
          <JsonField
            label="Params"
            name="params"
            value={work.params}
            onChange={work.write}
            issues={issues}
            schema={work.schema}
          />
        </>
      ) : (
        <TextArea
          name="query"
          label="Prompt"
          required
          rows={4}
          maxLength={100_000}
          defaultValue={job?.query ?? undefined}
        />
      )}
    </fieldset>
  )
}
