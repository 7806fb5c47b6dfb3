/** Calls a tool of a deployed Agent without a run. For an interactive tool it validates the input and shows how a client answers. */
import { useState } from 'react'
import type { DeployedTool, ToolCall } from '../../../../../automation/tools/schema.ts'
import { readJson } from '../../../../../platform/http/body/json-lines.ts'
import { useAction } from '../../../../data/action.ts'
import { Dialog } from '../../../../ui/forms/dialog.tsx'
import { Form } from '../../../../ui/forms/form.tsx'
import { Progress } from '../../../../ui/states.tsx'
import { Json } from '../../../../ui/text/code.tsx'
import { useEnvironment } from '../../../../use-environment.ts'
import { exampleText, JsonField } from '../../../operations/json-field.tsx'
import { SchemaForm } from '../../../operations/schema-form.tsx'

interface CallToolProps {
  agentId: string
  tool: DeployedTool
  onClose: () => void
}

export function CallTool({ agentId, tool, onClose }: CallToolProps) {
  return (
    <Dialog title={`Call ${tool.name}`} shape="wide" open onClose={onClose}>
      <CallForm agentId={agentId} tool={tool} />
    </Dialog>
  )
}

function CallForm({ agentId, tool: { name, kind, description, inputSchema } }: Omit<CallToolProps, 'onClose'>) {
  const { projectId, environmentId, environment } = useEnvironment()
  const [text, setText] = useState(() => exampleText(inputSchema))
  const [called, setCalled] = useState<ToolCall>()
  const call = useAction(
    (input: unknown) => {
      setCalled(undefined)
      return environment.agents({ agentId }).tools({ tool: name }).call.post({ input })
    },
    { done: setCalled, quiet: true },
  )
  return (
    <>
      <Form
        action={call}
        submit={kind === 'interactive' ? 'Check the input' : 'Call'}
        onSubmit={() => {
          const { value, fault } = readJson(text)
          if (!fault) void call.run(value)
        }}
        beside={call.pending && <Progress label="Running: up to 25 seconds" />}
      >
        <p>{description}</p>
        <SchemaForm schema={inputSchema} text={text} onChange={setText} />
        <JsonField
          label="Input"
          name="input"
          value={text}
          onChange={setText}
          issues={call.issues}
          schema={inputSchema}
        />
        <details>
          <summary>Request</summary>
          <section aria-label="Request">
            <pre>{requestOf({ projectId, environmentId, agentId, tool: name }, text)}</pre>
          </section>
        </details>
      </Form>
      <div role="status">{called && <Outcome of={called} />}</div>
    </>
  )
}

function Outcome({ of: { outcome, output, error } }: { of: ToolCall }) {
  if (outcome === 'output') return <Json label="Output" value={output} />
  if (outcome === 'error') {
    return (
      <div className="banner banner-bad">
        What the model would receive <code>{error?.code}</code>: {error?.message}
      </div>
    )
  }
  return (
    <>
      <p>The input is valid. A run would wait here until its caller continues it with an answer: text, or any JSON.</p>
      <pre>{answerRequest}</pre>
    </>
  )
}

const answerRequest = [
  'POST /api/v1/agent-runs/{agentRunId}/continue',
  'Content-Type: application/json',
  '',
  '{"query": "the answer"}',
].join('\n')

interface Called {
  projectId: string
  environmentId: string
  agentId: string
  tool: string
}

/** The HTTP request that a program would send. */
const requestOf = ({ projectId, environmentId, agentId, tool }: Called, input: string): string =>
  [
    `POST /api/v1/projects/${projectId}/environments/${environmentId}/agents/${agentId}/tools/${tool}/call`,
    'Content-Type: application/json',
    '',
    `{"input": ${input}}`,
  ].join('\n')
