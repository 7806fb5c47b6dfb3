/** Says what became of a call whose answer was lost. */
import { useAction } from '../../data/action.ts'
import { Form, SelectField, TextArea } from '../../ui/forms/form.tsx'
import { useEnvironment } from '../../use-environment.ts'

interface ResolveInvocationProps {
  invocationId: string
  /** A step is resolved with its run. */
  workflowRunId: string | null
}

export function ResolveInvocation({ invocationId, workflowRunId }: ResolveInvocationProps) {
  const { environment, environmentId } = useEnvironment()
  const resolve = useAction(
    (body: { outcome: 'succeeded' | 'failed'; note?: string }) =>
      environment['operation-invocations']({ invocationId }).resolve.post(body),
    { success: 'Outcome set', changes: [['invocations', environmentId], ['inbox']], quiet: true },
  )
  if (workflowRunId !== null) return null
  return (
    <section className="panel" aria-label="Resolve">
      <p>
        The call was made and its answer was lost: it may or may not have taken effect. Check the external service, then
        say what became of it. Nothing is called again.
      </p>
      <Form
        action={resolve}
        submit="Set the outcome"
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
          <option value="succeeded">It took effect</option>
          <option value="failed">It did not take effect</option>
        </SelectField>
        <TextArea name="note" label="Note" hint="Optional. How it was found out." rows={2} />
      </Form>
    </section>
  )
}
