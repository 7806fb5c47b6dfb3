/** Starts a workflow of the active Deployment, with params validated by its schema. */
import { useState } from 'react'
import { readJson } from '../../../platform/http/body/json-lines.ts'
import { useAction } from '../../data/action.ts'
import { at, projectOf } from '../../places.ts'
import { LinkButton } from '../../ui/forms/button.tsx'
import { Dialog } from '../../ui/forms/dialog.tsx'
import { Form, SelectField, TextField } from '../../ui/forms/form.tsx'
import { Options } from '../../ui/forms/options.tsx'
import { Empty, Shown } from '../../ui/states.tsx'
import { useEnvironment } from '../../use-environment.ts'
import { usePlace } from '../../use-place.ts'
import { type Deployed, useDeployed } from '../operations/deployed.ts'
import { exampleText, JsonField } from '../operations/json-field.tsx'
import { useSubmissionKey } from '../runs/playground/submission-key.ts'

interface StartProps {
  onClose: () => void
  /** Receives the id of the run. */
  onStarted: (workflowRunId: string) => void
}

export function StartWorkflow({ onClose, onStarted }: StartProps) {
  const deployed = useDeployed()
  const place = usePlace()
  return (
    <Dialog title="Start a workflow" shape="wide" open onClose={onClose}>
      <Shown resource={deployed}>
        {(deployed) =>
          deployed.workflows.length === 0 || deployed.agents.length === 0 ? (
            <Empty
              icon="flow"
              title="No workflows deployed"
              action={
                <LinkButton icon="book" href={at(projectOf(place), 'definitions')}>
                  Go to Definitions
                </LinkButton>
              }
            >
              Workflows come from the active Deployment. Publish a Definition of kind <code>workflow</code>, and deploy
              a Release that contains it.
            </Empty>
          ) : (
            <StartForm deployed={deployed} onStarted={onStarted} />
          )
        }
      </Shown>
    </Dialog>
  )
}

interface Start {
  agentId: string
  definitionIdOrName: string
  params: Record<string, unknown>
  requestKey?: string
}

function StartForm({ deployed, onStarted }: { deployed: Deployed; onStarted: (workflowRunId: string) => void }) {
  const { environmentId, environment } = useEnvironment()
  const [name, setName] = useState(deployed.workflows[0]?.name ?? '')
  const workflow = deployed.workflows.find((one) => one.name === name)
  const [written, setWritten] = useState<{ of: string; text: string }>({ of: '', text: '' })
  const text = written.of === name ? written.text : exampleText(workflow?.source.params)
  const start = useAction(
    (body: Start) =>
      environment.workflows.post(body, { headers: { 'idempotency-key': key.keyOf(JSON.stringify(body)) } }),
    {
      success: `${name} started`,
      changes: [['workflows', environmentId]],
      done({ workflowRunId }) {
        key.settle()
        onStarted(workflowRunId)
      },
      quiet: true,
    },
  )
  const key = useSubmissionKey(start.failure)
  return (
    <Form
      needs="agents:manage-workflows"
      action={start}
      submit="Start"
      onSubmit={(field) => {
        const { value, fault } = readJson(text)
        if (fault) return
        const requestKey = field('requestKey')
        return start.run({
          agentId: field('agentId'),
          definitionIdOrName: name,
          params: value as Record<string, unknown>,
          ...(requestKey && { requestKey }),
        })
      }}
    >
      <div className="pair">
        <SelectField
          name="definitionIdOrName"
          label="Workflow"
          hint={workflow && `${workflow.source.steps.length} steps`}
          value={name}
          onChange={({ target }) => setName(target.value)}
        >
          <Options of={deployed.workflows.map(({ name }) => name)} />
        </SelectField>
        <SelectField name="agentId" label="On behalf of" hint="Its grants, bindings and variables apply.">
          <Options of={deployed.agents} />
        </SelectField>
      </div>
      <JsonField
        key={name}
        label="Params"
        name="params"
        value={text}
        onChange={(text) => setWritten({ of: name, text })}
        issues={start.issues}
        schema={workflow?.source.params}
      />
      <TextField
        name="requestKey"
        label="Request key"
        maxLength={255}
        hint="Optional. Requests with the same key return the run that the first one started."
      />
    </Form>
  )
}
