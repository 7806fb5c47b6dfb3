/** A step with an unknown outcome: an explanation, and the form that sets the outcome. */
import { useState } from 'react'
import { useAction } from '../../data/action.ts'
import { Form } from '../../ui/forms/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { readJson } from '../../ui/text/json-text.ts'
import { useEnvironment } from '../../use-environment.ts'
import { JsonField } from '../operations/json-field.tsx'
import type { WorkflowRun } from './run.ts'

const outcomes = [
  { value: 'succeeded', title: 'It took effect', about: 'The step counts as done. What it gave can be written down.' },
  {
    value: 'failed',
    title: 'It did not take effect',
    about: 'The step fails, and with it the run, unless the step says continue.',
  },
  { value: 'retry', title: 'Retry', about: 'It is carried out once more. Only where twice does no harm.' },
] as const
type Outcome = (typeof outcomes)[number]['value']

type Resolution = Outcome | { status: 'succeeded'; output: unknown }

export function Resolve({ run: { workflowRunId, steps }, stepId }: { run: WorkflowRun; stepId: string }) {
  const { environment } = useEnvironment()
  const [outcome, setOutcome] = useState<Outcome>()
  const [output, setOutput] = useState('')
  const step = steps.find((one) => one.stepId === stepId)
  const resolve = useAction(
    (outcome: Resolution) =>
      environment.workflows({ workflowRunId })['resolve-unknown'].post({ stepId, outcome }, { query: {} }),
    { success: `${stepId} is resolved`, changes: [['workflows']], quiet: true },
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
        It changes something that must not be changed twice, so it was not repeated. Check the service that it calls,
        then set the outcome here. The run is blocked until then.
      </p>
      {step?.error && <p className="faint">{step.error.message}</p>}
      <Form
        action={resolve}
        submit="Resolve the step"
        onSubmit={() => {
          if (!outcome) return
          if (outcome !== 'succeeded' || output.trim() === '') return void resolve.run(outcome)
          const { value, fault } = readJson(output)
          if (!fault) void resolve.run({ status: 'succeeded', output: value })
        }}
      >
        <fieldset className="resolve-outcomes">
          <legend className="visually-hidden">How it has ended</legend>
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
