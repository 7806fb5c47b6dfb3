/**
 * Cancelling a run. The API takes it from API keys only: the console makes itself one for it, or, where the user may make
 * none, takes one for this one request.
 */
import { useState } from 'react'
import { withKey } from '../../../api/console-key.ts'
import { type ApiFailure, failureOf } from '../../../api/failure.ts'
import { useAction } from '../../../data/action.ts'
import { useApi } from '../../../data/context.ts'
import { ConfirmButton } from '../../../ui/forms/confirm.tsx'
import { Dialog } from '../../../ui/forms/dialog.tsx'
import { Form, TextField } from '../../../ui/forms/form.tsx'

export function CancelButton({ runId, small }: { runId: string; small?: boolean }) {
  const api = useApi()
  const [refused, setRefused] = useState<ApiFailure>()
  const post = api.v1['agent-runs']({ agentRunId: runId }).cancel.post
  const options = {
    success: ({ state }: { state: string }) => (state === 'canceling' ? 'The run winds down' : 'The run is canceled'),
    changes: [['runs']],
  }
  const cancel = useAction((given: Awaited<ReturnType<typeof withKey>>) => post(undefined, given), options)
  const withOwnKey = useAction(
    (key: string) => post(undefined, { fetch: { headers: { authorization: `Bearer ${key}` } } }),
    { ...options, done: () => setRefused(undefined), quiet: true },
  )

  async function start() {
    try {
      await cancel.run(await withKey(api, 'agent-runs:cancel'))
    } catch (thrown) {
      setRefused(failureOf(thrown))
    }
  }
  return (
    <>
      <ConfirmButton
        small={small ?? false}
        tone="plain"
        icon="close"
        pending={cancel.pending}
        question="Cancel this run?"
        confirm="Cancel the run"
        consequence={
          <>
            <p>A run at work ends after its current step; any other ends at once. What it has done stays done.</p>
            <p className="faint">
              Cancelling takes an API key. The console makes itself one that can only cancel runs, for an hour; you find
              it among your keys.
            </p>
          </>
        }
        onConfirm={start}
      >
        Cancel run
      </ConfirmButton>
      <Dialog title="Cancel with a key of your own" open={refused !== undefined} onClose={() => setRefused(undefined)}>
        <p>
          The console could not make itself a key:{' '}
          {refused?.permission ? `you lack ${refused.permission}` : refused?.message}
        </p>
        <Form
          action={withOwnKey}
          submit="Cancel the run"
          tone="danger"
          onSubmit={(text) => withOwnKey.run(text('key'))}
        >
          <TextField
            name="key"
            label="API key"
            type="password"
            required
            placeholder="trp_…"
            hint="With agent-runs:cancel. It is used for this one request and kept nowhere."
          />
        </Form>
      </Dialog>
    </>
  )
}
