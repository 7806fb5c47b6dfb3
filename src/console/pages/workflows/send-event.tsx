/** Sends an event to the workflows of an Environment that wait for it. */
import { useState } from 'react'
import { readJson } from '../../../platform/http/body/json-lines.ts'
import { useAction } from '../../data/action.ts'
import { Button } from '../../ui/forms/button.tsx'
import { Dialog } from '../../ui/forms/dialog.tsx'
import { Form, TextField } from '../../ui/forms/form.tsx'
import { useEnvironment } from '../../use-environment.ts'
import { JsonField } from '../operations/json-field.tsx'
import { useSubmissionKey } from '../runs/playground/submission-key.ts'

interface Awaited {
  event: string
  correlation: string
}

interface SendEventProps {
  /** What a step waits for; without it both are entered. */
  of?: Awaited
  small?: boolean
}

export function SendEvent({ of, small = false }: SendEventProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button needs="agents:manage-workflows" icon="bell" small={small} onClick={() => setOpen(true)}>
        Send event
      </Button>
      <Dialog title="Send an event" shape="wide" open={isOpen} onClose={() => setOpen(false)}>
        {isOpen && <EventForm of={of} close={() => setOpen(false)} />}
      </Dialog>
    </>
  )
}

function EventForm({ of, close }: { of: Awaited | undefined; close: () => void }) {
  const { environment } = useEnvironment()
  const [text, setText] = useState('null')
  const send = useAction(
    (body: Awaited & { data: unknown }) =>
      environment['workflow-events'].post(body, { headers: { 'idempotency-key': key.keyOf(JSON.stringify(body)) } }),
    {
      success: ({ event }) => `${event} sent`,
      changes: [['workflows']],
      quiet: true,
      done: () => {
        key.settle()
        close()
      },
    },
  )
  const key = useSubmissionKey(send.failure)
  return (
    <Form
      action={send}
      submit="Send event"
      onSubmit={(field) => {
        const { value, fault } = readJson(text)
        if (!fault) void send.run({ event: field('event'), correlation: field('correlation'), data: value })
      }}
    >
      <p>
        It goes to every run of this Environment with a step that waits for this event and this correlation. If none
        waits, it is kept for 24 hours and given to the first step that does.
      </p>
      <div className="pair">
        <TextField
          name="event"
          label="Event"
          required
          maxLength={64}
          pattern="[a-zA-Z0-9_.\-]+"
          defaultValue={of?.event}
          hint="As in the workflow, such as payment.received."
        />
        <TextField
          name="correlation"
          label="Correlation"
          required
          maxLength={256}
          defaultValue={of?.correlation}
          hint="What the runs wait with, such as an order number."
        />
      </div>
      <JsonField label="Data" name="data" value={text} onChange={setText} issues={send.issues} rows={4} />
    </Form>
  )
}
