/** Calls an operation on behalf of a deployed Agent, with input validated by its schema. */
import { useState } from 'react'
import { Link } from 'wouter'
import { readJson } from '../../../platform/http/body/json-lines.ts'
import { useAction } from '../../data/action.ts'
import { at, projectOf } from '../../places.ts'
import { Tag } from '../../ui/badge.tsx'
import { LinkButton } from '../../ui/forms/button.tsx'
import { Dialog } from '../../ui/forms/dialog.tsx'
import { Form, SelectField } from '../../ui/forms/form.tsx'
import { Options } from '../../ui/forms/options.tsx'
import { Empty, Progress, Shown } from '../../ui/states.tsx'
import { useEnvironment } from '../../use-environment.ts'
import { usePlace } from '../../use-place.ts'
import { publishAt } from '../revisions/revised.ts'
import { useSubmissionKey } from '../runs/playground/submission-key.ts'
import { type Deployed, useDeployed, useGrants } from './deployed.ts'
import { exampleText, JsonField } from './json-field.tsx'
import { SchemaForm } from './schema-form.tsx'

interface InvokeProps {
  /** The only Agent and operation that can be chosen. */
  only?: Only
  onClose: () => void
  /** Receives the id of the invocation. */
  onInvoked: (id: string) => void
}

export function Invoke({ only, onClose, onInvoked }: InvokeProps) {
  const deployed = useDeployed()
  const place = usePlace()
  return (
    <Dialog title={only ? `Call ${only.operation}` : 'Invoke an operation'} shape="wide" open onClose={onClose}>
      <Shown resource={deployed}>
        {(deployed) =>
          deployed.agents.length === 0 ? (
            <Empty
              icon="bolt"
              title="No active Deployment"
              action={
                <LinkButton icon="rocket" href={at(place)}>
                  Go to Delivery
                </LinkButton>
              }
            >
              Operations come from the active Deployment. Deploy a Release first.
            </Empty>
          ) : (
            <InvokeForm deployed={deployed} only={only} onInvoked={onInvoked} />
          )
        }
      </Shown>
    </Dialog>
  )
}

interface Only {
  agentId: string
  operation: string
}

interface Call {
  agentId: string
  operation: string
  input: unknown
}

interface InvokeFormProps {
  deployed: Deployed
  only: Only | undefined
  onInvoked: (id: string) => void
}

function InvokeForm({ deployed, only, onInvoked }: InvokeFormProps) {
  const place = usePlace()
  const { projectId, environmentId, environment } = useEnvironment()
  const [agentId, setAgentId] = useState(only?.agentId ?? deployed.agents[0]?.id ?? '')
  const agent = deployed.agents.find(({ id }) => id === agentId)
  const grants = useGrants(agent)
  const granted = (grants.value ?? []).filter((name) => deployed.operations.has(name)).sort()
  const names = only ? granted.filter((name) => name === only.operation) : granted
  const [chosen, setChosen] = useState('')
  const name = names.includes(chosen) ? chosen : (names[0] ?? '')
  const operation = deployed.operations.get(name)
  const [written, setWritten] = useState<{ of: string; text: string }>({ of: '', text: '' })
  const text = written.of === name ? written.text : exampleText(operation?.inputSchema)
  const invoke = useAction(
    ({ agentId, operation, input }: Call) => {
      const idempotencyKey = key.keyOf(JSON.stringify([agentId, operation, input]))
      return environment.agents({ agentId }).operations({ operation }).invoke.post({ input, idempotencyKey })
    },
    {
      changes: [
        ['invocations', environmentId],
        ['approvals', environmentId],
      ],
      done({ id }) {
        key.settle()
        onInvoked(id)
      },
      quiet: true,
    },
  )
  const key = useSubmissionKey(invoke.failure)
  return (
    <Form
      needs="agents:invoke-operation"
      action={invoke}
      submit="Invoke"
      onSubmit={() => {
        const { value, fault } = readJson(text)
        if (!fault && operation) void invoke.run({ agentId, operation: name, input: value })
      }}
      beside={invoke.pending && <Progress label="Running: up to 25 seconds" />}
    >
      <div className="pair">
        <SelectField
          name="agentId"
          label="On behalf of"
          hint="Its grants, bindings and variables apply."
          value={agentId}
          onChange={({ target }) => setAgentId(target.value)}
        >
          <Options of={deployed.agents.filter(({ id }) => !only || id === only.agentId)} />
        </SelectField>
        <SelectField
          name="operation"
          label="Operation"
          hint={
            names.length === 0 && grants.value ? (
              <>
                No operations are granted to this Agent.{' '}
                <Link href={publishAt(at(projectOf(place), 'agents', agentId))}>Grant some in a new revision</Link>, and
                deploy it.
              </>
            ) : (
              'Operations granted to the Agent.'
            )
          }
          value={name}
          disabled={names.length === 0}
          onChange={({ target }) => setChosen(target.value)}
        >
          <Options of={names} />
        </SelectField>
      </div>
      {operation && (
        <>
          <p className="row">
            <span>{operation.description}</span>
            <Tag>{operation.effect === 'write' ? 'write' : 'read'}</Tag>
            {operation.approval === 'always' && <Tag>requires approval</Tag>}
          </p>
          <SchemaForm schema={operation.inputSchema} text={text} onChange={(text) => setWritten({ of: name, text })} />
          <JsonField
            key={name}
            label="Input"
            name="input"
            value={text}
            onChange={(text) => setWritten({ of: name, text })}
            issues={invoke.issues}
            schema={operation.inputSchema}
          />
          <details>
            <summary>Request</summary>
            <section aria-label="Request">
              <pre>{requestOf({ projectId, environmentId, agentId, operation: name }, text)}</pre>
            </section>
          </details>
        </>
      )}
    </Form>
  )
}

interface Called {
  projectId: string
  environmentId: string
  agentId: string
  operation: string
}

/** The HTTP request that a program would send. */
const requestOf = ({ projectId, environmentId, agentId, operation }: Called, input: string): string =>
  [
    `POST /api/v1/projects/${projectId}/environments/${environmentId}/agents/${agentId}/operations/${operation}/invoke`,
    'Content-Type: application/json',
    '',
    `{"input": ${input}}`,
  ].join('\n')
