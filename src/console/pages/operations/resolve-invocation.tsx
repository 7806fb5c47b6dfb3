/** Sets the outcome of a call whose answer was lost. */
import { useAction } from '../../data/action.ts'
import { useApi } from '../../data/context.ts'
import { useResource } from '../../data/resource.ts'
import { Form, SelectField, TextArea } from '../../ui/forms/form.tsx'
import { Options } from '../../ui/forms/options.tsx'
import { useEnvironment } from '../../use-environment.ts'
import { awaitsOutcome, workflowRunKey } from '../workflows/run.ts'

const outcomes = [
  ['succeeded', 'It took effect'],
  ['failed', 'It had no effect'],
] as const

interface OutcomeFormProps {
  projectId: string
  environmentId: string
  invocationId: string
  done?: () => void
}

/** The outcome, which nothing suggests, and how it was verified. */
export function OutcomeForm({ projectId, environmentId, invocationId, done = () => {} }: OutcomeFormProps) {
  const environment = useApi().v1.projects({ projectId }).environments({ environmentId })
  const resolve = useAction(
    (body: { outcome: 'succeeded' | 'failed'; note?: string }) =>
      environment['operation-invocations']({ invocationId }).resolve.post(body),
    { success: 'Outcome set', changes: [['invocations', environmentId], ['inbox']], quiet: true, done },
  )
  return (
    <>
      <p>
        The call was made, but its answer was lost: it may or may not have taken effect. Check the external service,
        then set the outcome. The call is not repeated.
      </p>
      <Form
        action={resolve}
        submit="Set outcome"
        onSubmit={(text) => {
          const note = text('note')
          const outcome = text('outcome') === 'succeeded' ? 'succeeded' : 'failed'
          return resolve.run({ outcome, ...(note && { note }) })
        }}
      >
        <SelectField name="outcome" label="Outcome" required defaultValue="">
          <option value="" disabled>
            Choose
          </option>
          <Options of={outcomes} />
        </SelectField>
        <TextArea name="note" label="Note" hint="Optional. How you verified the outcome." rows={2} maxLength={2000} />
      </Form>
    </>
  )
}

interface ResolveInvocationProps {
  invocationId: string
  /** A step that its workflow run waits for is resolved on the page of the run. */
  workflowRunId: string | null
  stepId: string | null
}

export function ResolveInvocation({ invocationId, workflowRunId, stepId }: ResolveInvocationProps) {
  const { environment, projectId, environmentId } = useEnvironment()
  const run = useResource(workflowRunId === null ? null : workflowRunKey(workflowRunId), (options) =>
    environment.workflows({ workflowRunId: workflowRunId as string }).get({ ...options, query: {} }),
  )
  if (run.loading || (run.value && awaitsOutcome(run.value, stepId))) return null
  return (
    <section className="panel" aria-label="Resolve">
      <OutcomeForm {...{ projectId, environmentId, invocationId }} />
    </section>
  )
}
