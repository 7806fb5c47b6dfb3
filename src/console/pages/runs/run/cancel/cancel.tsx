/** Cancels a run. The API accepts only API keys here: the console creates one, or asks for one if the user may not create keys. */
import { useState } from 'react'
import { byKey, keyFor } from '../../../../api/console-key.ts'
import { type ApiFailure, failureOf } from '../../../../api/failure.ts'
import { useAction } from '../../../../data/action.ts'
import { useApi } from '../../../../data/context.ts'
import { ConfirmButton } from '../../../../ui/forms/confirm.tsx'
import { Dialog } from '../../../../ui/forms/dialog.tsx'
import { Form, TextField } from '../../../../ui/forms/form.tsx'
import { useConsent } from './consent.ts'
import { KeyNote, operation } from './key-note.tsx'

interface CancelButtonProps {
  runId: string
  /** Of a run that is being canceled already, the cancel is forced. */
  state: string
  small?: boolean
}

const words = {
  cancel: {
    question: 'Cancel this run?',
    confirm: 'Cancel the run',
    label: 'Cancel run',
    says: 'A run in progress ends after its current step, any other at once. Completed steps are kept.',
  },
  force: {
    question: 'Cancel this run at once?',
    confirm: 'Force cancel',
    label: 'Force cancel',
    says: 'The run ends without waiting for its runner. Its current step may still take effect, but is no longer recorded.',
  },
}

export function CancelButton({ runId, state, small }: CancelButtonProps) {
  const api = useApi()
  const consent = useConsent()
  const [refused, setRefused] = useState<ApiFailure>()
  const isForced = state === 'canceling'
  const { question, confirm, label, says } = isForced ? words.force : words.cancel
  const query = isForced ? { force: true } : {}
  const post = api.v1['agent-runs']({ agentRunId: runId }).cancel.post
  const options = {
    success: ({ state }: { state: string }) => (state === 'canceling' ? 'Canceling the run' : 'Run canceled'),
    changes: [['runs']],
  }
  const cancel = useAction(() => byKey(api, operation, (key) => post(undefined, { query, ...key })), options)
  const withOwnKey = useAction(
    (key: string) => post(undefined, { query, fetch: { headers: { authorization: `Bearer ${key}` } } }),
    { ...options, done: () => setRefused(undefined), quiet: true },
  )

  async function start() {
    try {
      await keyFor(api, operation)
      consent.give()
      await cancel.run()
    } catch (thrown) {
      setRefused(failureOf(thrown))
    }
  }
  return (
    <>
      <ConfirmButton
        needs="agent-runs:cancel"
        small={small ?? false}
        tone="plain"
        icon="close"
        pending={cancel.pending}
        question={question}
        confirm={confirm}
        consequence={
          <>
            <p>{says}</p>
            {!consent.given && <KeyNote />}
          </>
        }
        onConfirm={start}
      >
        {label}
      </ConfirmButton>
      <Dialog title="Cancel with your own API key" open={refused !== undefined} onClose={() => setRefused(undefined)}>
        <p>
          The console could not create an API key:{' '}
          {refused?.permission ? `you need ${refused.permission}` : refused?.message}
        </p>
        <Form action={withOwnKey} submit={confirm} tone="danger" onSubmit={(text) => withOwnKey.run(text('key'))}>
          <TextField
            name="key"
            label="API key"
            type="password"
            required
            placeholder="trp_…"
            hint="With agent-runs:cancel. It is used for this request only and not stored."
          />
        </Form>
      </Dialog>
    </>
  )
}
