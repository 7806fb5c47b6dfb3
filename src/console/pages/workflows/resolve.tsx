/** Form that sets the outcome of a step in state `unknown`. */
import { useState } from 'react'
import { readJson } from '../../../platform/http/body/json-lines.ts'
import { useAction } from '../../data/action.ts'
import { Form } from '../../ui/forms/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useEnvironment } from '../../use-environment.ts'
import { JsonField } from '../operations/json-field.tsx'
import type { WorkflowRun } from './run.ts'

const outcomes = [
  { value: 'succeeded', title: 'It took effect', about: 'The step counts as succeeded. You can enter its output.' },
  {
    value: 'failed',
    title: 'It had no effect',
    about: 'The step fails. The run fails too, unless the step has onError: continue.',
  },
  {
    value: 'retry',
    title: 'Retry',
    about: 'The step is executed again. Choose this only if a second execution is safe.',
  },
] as const
type Outcome = (typeof outcomes)[number]['value']

type Resolution = Outcome | { status: 'succeeded'; output: unknown }

export function Resolve({ run: { workflowRunId, steps }, stepId }: { run: WorkflowRun; stepId: string }) {
  const { environment } = useEnvironment()
  const [outcome, setOutcome] = useState<Outcome>()
  const [output, setOutput] = useState('')
  const step = steps.find((one) => one.stepId === stepId.split('.')[0])
  const resolve = useAction(
    (outcome: Resolution) =>
      environment.workflows({ workflowRunId })['resolve-unknown'].post({ stepId, outcome }, { query: {} }),
    { success: `${stepId} resolved`, changes: [['workflows']], quiet: true },
  )
  return (
    <section className="resolve" aria-label={`Resolve ${stepId}`}>
      <header className="row">
        <Icon name="warning" />
        <h2>
          Outcome of <strong>{stepId}</strong> unknown
        </h2>
      </header>
      <p>
        <code>{step?.operation}</code> was called, but its answer was lost: the call may or may not have taken effect.
        It is not idempotent, so it was not repeated. Check the external service, then set the outcome here. The run is
        blocked until then.
      </p>
      {step?.error && <p className="faint">{step.error.message}</p>}
      <Form
        action={resolve}
        submit="Resolve step"
        onSubmit={() => {
          if (!outcome) return
          if (outcome !== 'succeeded' || output.trim() === '') return void resolve.run(outcome)
          const { value, fault } = readJson(output)
          if (!fault) void resolve.run({ status: 'succeeded', output: value })
        }}
      >
        <fieldset className="resolve-outcomes">
          <legend className="visually-hidden">Outcome</legend>
          {outcomes.map(({ value, title, about }) => (
            <label key={value} className="resolve-outcome">
              <input
                type="radio"
                name={`outcome of ${stepId}`}
                value={value}
                required
                checked={outcome === value}
                onChange={() => setOutcome(value)}
              />
              <span>
                <strong>{title}</strong>
                <span className="faint">{about}</span>
              </span>
            </label>
          ))}
        </fieldset>
        {outcome === 'succeeded' && (
          <details>
            <summary>Output for later steps</summary>
            <JsonField
              label="Output as JSON"
              name="outcome"
              value={output === '' ? 'null' : output}
              onChange={setOutput}
              issues={resolve.issues}
              rows={4}
            />
          </details>
        )}
      </Form>
    </section>
  )
}
